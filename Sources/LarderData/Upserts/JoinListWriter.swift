import LarderSQLite
import LarderSupport

/// A writer of to-many relationships for an upsert's records in one transaction. It records the changed rows on the inverse side.
final class JoinListWriter<Record> {
  private let mappings: [JoinListMapping<Record>]
  private let tracker: _EntityTracker
  private let core: _ContextCore
  private let connection: Connection
  private let statements: [(members: Statement, upsert: Statement, delete: Statement)]
  /// The members in each list of the record that is written next.
  private var pendingMembers: [[Int64]]
  /// The rows of the inverse side whose own lists have changed, for each list.
  private var changedTargets: [Set<Int64>]

  /// Creates a writer, or returns `nil` if there are no lists.
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

  /// Reads a record's lists before the record is written: an invalid list fails the whole record.
  func readMembers(of record: UnsafePointer<Record>) throws {
    for place in mappings.indices { pendingMembers[place] = try mappings[place].members(of: record, tracker.layout) }
  }

  /// Writes the lists of the last read record to its row.
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

  // MARK: - Inverse side

  /// Adds the rows of the inverse side whose lists have changed. Only the join table shows these changes.
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
    // The inverse side may be of the records' own class.
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

  /// Returns the tracker of the row's own class.
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
