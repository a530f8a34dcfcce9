import LarderSQLite
import LarderSupport

/// Writes the lists of an upsert's records within one transaction, and notes at which ends something has changed.
final class ListWriting<Record> {
  private let lists: [UpsertList<Record>]
  private let state: EntityState
  private let core: ContextCore
  private let connection: Connection
  private let statements: [(members: Statement, upsert: Statement, delete: Statement)]
  /// The members of the record that is about to be written, by list.
  private var wanted: [[Int64]]
  /// Rows of the other ends whose own lists have changed, by list.
  private var others: [Set<Int64>]

  /// nil where there are none.
  init?(_ lists: [UpsertList<Record>], _ state: EntityState, _ core: ContextCore, _ connection: Connection) throws {
    if lists.isEmpty { return nil }
    self.lists = lists
    self.state = state
    self.core = core
    self.connection = connection
    wanted = lists.map { _ in [] }
    others = lists.map { _ in [] }
    for list in lists { try list.rows.begin(on: connection, core) }
    statements = try lists.map { list in
      (
        try connection.statement(for: list.statements.members), try connection.statement(for: list.statements.upsert),
        try connection.statement(for: list.statements.delete)
      )
    }
  }

  deinit {
    for list in lists { list.rows.end() }
    for statement in statements {
      statement.members.checkIn()
      statement.upsert.checkIn()
      statement.delete.checkIn()
    }
  }

  /// Before a record is written: what cannot be keeps it out whole.
  func read(_ record: UnsafePointer<Record>) throws {
    for place in lists.indices { wanted[place] = try lists[place].members(of: record, state.layout) }
  }

  /// Gives the row of the record that was read its lists.
  ///
  /// - Returns: The properties that changed.
  func write(_ row: Int64, isNew: Bool) throws -> PropertyMask {
    var mask: PropertyMask = 0
    for place in lists.indices where try write(place, row, isNew) { mask |= lists[place].relation.bit }
    return mask
  }

  private func write(_ place: Int, _ row: Int64, _ isNew: Bool) throws -> Bool {
    let members = wanted[place]
    let former = isNew ? [] : try stored(place, row)
    guard former != members else { return false }
    let kept = Set(members)
    for member in former where !kept.contains(member) {
      try run(statements[place].delete, row, member)
      others[place].insert(member)
    }
    let known = Set(former)
    for (index, member) in members.enumerated() {
      let upsert = statements[place].upsert
      upsert.bind(3, Int64(index + 1) * StoreFormat.orderStep)
      try run(upsert, row, member)
      if !known.contains(member) { others[place].insert(member) }
    }
    return true
  }

  private func stored(_ place: Int, _ row: Int64) throws -> [Int64] {
    let statement = statements[place].members
    statement.bind(1, row)
    defer { statement.reset() }
    var members: [Int64] = []
    while try statement.step() { members.append(statement.int64(0)) }
    return members
  }

  private func run(_ statement: Statement, _ row: Int64, _ member: Int64) throws {
    statement.bind(1, row)
    statement.bind(2, member)
    try statement.run()
  }

  // MARK: - The other ends

  /// Adds the rows at the other ends whose lists have changed. Those have no other place where that could be seen.
  func note(in changes: inout [ChangeSet.Entity]) throws {
    var masks: [ObjectIdentifier: (state: EntityState, rows: [Int64: PropertyMask])] = [:]
    for place in lists.indices {
      let relation = lists[place].relation
      guard let mirrored = relation.mirrored, !others[place].isEmpty else { continue }
      let there = try core.state(for: relation.destinationLayout)
      for row in others[place] {
        let own = try state(of: row, there)
        masks[ObjectIdentifier(own), default: (own, [:])].rows[row, default: 0] |= mirrored.bit
      }
    }
    for (own, rows) in masks.values { try note(rows, own, in: &changes) }
  }

  private func note(_ masks: [Int64: PropertyMask], _ own: EntityState, in changes: inout [ChangeSet.Entity]) throws {
    // The records' own class may be at the other end, too.
    let isRecords = own === state
    if !isRecords { changes.append(ChangeSet.Entity(layout: own.layout, identity: own.identity)) }
    let entity = isRecords ? 0 : changes.count - 1
    let inserted = Set(changes[entity].inserted)
    let places = Dictionary(
      changes[entity].updated.enumerated().map { ($0.element.row, $0.offset) }, uniquingKeysWith: { first, _ in first })
    for (row, mask) in masks.sorted(by: { $0.key < $1.key }) where !inserted.contains(row) {
      if let place = places[row] {
        changes[entity].updated[place].mask |= mask
      } else {
        try connection.raiseVersion(of: row, in: own.statements.table)
        changes[entity].updated.append(ChangeSet.Update(row: row, mask: mask))
      }
    }
  }

  /// That of the row's own class.
  private func state(of row: Int64, _ there: EntityState) throws -> EntityState {
    guard there.statements.hasClasses else { return there }
    let sql =
      "SELECT \(StoreFormat.classColumn) FROM \(there.statements.table) WHERE \(StoreFormat.identifierColumn) = ?1"
    let name = try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      return try statement.step() ? statement.string(0) : there.layout.entityName
    }
    return (there.topmost ?? there).family.first { $0.layout.entityName == name } ?? there
  }
}

extension Connection {
  /// For a row that changes in nothing but what lies beside it.
  func raiseVersion(of row: Int64, in table: String) throws {
    let version = StoreFormat.versionColumn
    try withStatement(
      for: "UPDATE \(table) SET \(version) = \(version) + 1 WHERE \(StoreFormat.identifierColumn) = ?1"
    ) { statement in
      statement.bind(1, row)
      try statement.run()
    }
  }
}
