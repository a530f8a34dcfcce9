import LarderSQLite
import LarderSupport

/// Writes the lists of an upsert's records within one transaction, and notes at which ends something has changed.
final class JoinListWriter<Record> {
  private let mappings: [JoinListMapping<Record>]
  private let tracker: _EntityTracker
  private let core: _ContextCore
  private let connection: Connection
  private let statements: [(members: Statement, upsert: Statement, delete: Statement)]
  /// The members of the record that is about to be written, by list.
  private var pendingMembers: [[Int64]]
  /// Rows of the other ends whose own lists have changed, by list.
  private var changedTargets: [Set<Int64>]

  /// nil where there are none.
  init?(_ lists: [JoinListMapping<Record>], _ tracker: _EntityTracker, _ core: _ContextCore, _ connection: Connection)
    throws
  {
    if lists.isEmpty { return nil }
    self.mappings = lists
    self.tracker = tracker
    self.core = core
    self.connection = connection
    pendingMembers = lists.map { _ in [] }
    changedTargets = lists.map { _ in [] }
    for list in lists { try list.lookup.prepare(on: connection, core) }
    statements = try lists.map { list in
      (
        try connection.statement(for: list.statements.selectMembers),
        try connection.statement(for: list.statements.upsert),
        try connection.statement(for: list.statements.delete)
      )
    }
  }

  deinit {
    for list in mappings { list.lookup.releaseStatement() }
    for statement in statements {
      statement.members.checkIn()
      statement.upsert.checkIn()
      statement.delete.checkIn()
    }
  }

  /// Before a record is written: what cannot be keeps it out whole.
  func readMembers(of record: UnsafePointer<Record>) throws {
    for place in mappings.indices { pendingMembers[place] = try mappings[place].members(of: record, tracker.layout) }
  }

  /// Gives the row of the record that was read its lists.
  ///
  /// - Returns: The properties that changed.
  func write(_ row: Int64, isNew: Bool) throws -> _PropertyMask {
    var mask: _PropertyMask = 0
    for place in mappings.indices where try writeList(place, row, isNew) { mask |= mappings[place].relationship.bit }
    return mask
  }

  private func writeList(_ place: Int, _ row: Int64, _ isNew: Bool) throws -> Bool {
    let members = pendingMembers[place]
    let former = isNew ? [] : try storedMembers(place, row)
    guard former != members else { return false }
    let kept = Set(members)
    for member in former where !kept.contains(member) {
      try execute(statements[place].delete, row, member)
      changedTargets[place].insert(member)
    }
    let known = Set(former)
    for (index, member) in members.enumerated() {
      let upsert = statements[place].upsert
      upsert.bind(3, Int64(index + 1) * StoreFormat.orderStep)
      try execute(upsert, row, member)
      if !known.contains(member) { changedTargets[place].insert(member) }
    }
    return true
  }

  private func storedMembers(_ place: Int, _ row: Int64) throws -> [Int64] {
    let statement = statements[place].members
    statement.bind(1, row)
    defer { statement.reset() }
    var members: [Int64] = []
    while try statement.step() { members.append(statement.int64(0)) }
    return members
  }

  private func execute(_ statement: Statement, _ row: Int64, _ member: Int64) throws {
    statement.bind(1, row)
    statement.bind(2, member)
    try statement.run()
  }

  // MARK: - The other ends

  /// Adds the rows at the other ends whose lists have changed. Those have no other place where that could be seen.
  func recordTargets(in changes: inout [ChangeSet.Entity]) throws {
    var masks: [ObjectIdentifier: (tracker: _EntityTracker, rows: [Int64: _PropertyMask])] = [:]
    for place in mappings.indices {
      let relationship = mappings[place].relationship
      guard let mirrored = relationship.inverse, !changedTargets[place].isEmpty else { continue }
      let there = try core.tracker(for: relationship.destinationLayout)
      for row in changedTargets[place] {
        let own = try tracker(of: row, there)
        masks[ObjectIdentifier(own), default: (own, [:])].rows[row, default: 0] |= mirrored.bit
      }
    }
    for (own, rows) in masks.values { try recordTargets(rows, own, in: &changes) }
  }

  private func recordTargets(
    _ masks: [Int64: _PropertyMask], _ own: _EntityTracker, in changes: inout [ChangeSet.Entity]
  ) throws {
    // The records' own class may be at the other end, too.
    let isRecords = own === tracker
    if !isRecords { changes.append(ChangeSet.Entity(layout: own.layout, identity: own.identity)) }
    let entity = isRecords ? 0 : changes.count - 1
    let inserted = Set(changes[entity].inserted)
    let places = Dictionary(
      changes[entity].updated.enumerated().map { ($0.element.row, $0.offset) }, uniquingKeysWith: { first, _ in first })
    for (row, mask) in masks.sorted(by: { $0.key < $1.key }) where !inserted.contains(row) {
      if let place = places[row] {
        changes[entity].updated[place].mask |= mask
      } else {
        try connection.incrementVersion(of: row, in: own.statements.table)
        changes[entity].updated.append(ChangeSet.Update(row: row, mask: mask))
      }
    }
  }

  /// That of the row's own class.
  private func tracker(of row: Int64, _ there: _EntityTracker) throws -> _EntityTracker {
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
  func incrementVersion(of row: Int64, in table: String) throws {
    let version = StoreFormat.versionColumn
    try withStatement(
      for: "UPDATE \(table) SET \(version) = \(version) + 1 WHERE \(StoreFormat.identifierColumn) = ?1"
    ) { statement in
      statement.bind(1, row)
      try statement.run()
    }
  }
}
