internal import LarderSQLite
import LarderSupport

/// The stored members of the to-manys of several objects, in their order: requested together, and read with one statement for
/// each relationship.
struct StoredMembers {
  private struct Request {
    let tracker: _EntityTracker
    let relationship: RelationshipLayout
    var rows: Set<Int64> = []
  }

  private let core: _ContextCore
  private var requests: [ObjectIdentifier: Request] = [:]
  private var membersByOwner: [ObjectIdentifier: [Int64: [Int64]]] = [:]

  init(_ core: _ContextCore) { self.core = core }

  mutating func request(_ relationship: RelationshipLayout, of row: Int64, _ tracker: _EntityTracker) {
    requests[ObjectIdentifier(relationship), default: Request(tracker: tracker, relationship: relationship)].rows
      .insert(row)
  }

  mutating func read() throws {
    for (relationship, wanted) in requests {
      let found = try core.storedMembers(wanted.rows.inOrder(), wanted.tracker, wanted.relationship)
      for row in wanted.rows { membersByOwner[relationship, default: [:]][row] = found[row] ?? [] }
    }
    requests = [:]
  }

  /// Returns the stored members of a row's list. A list that was not requested before is read alone.
  mutating func members(_ relationship: RelationshipLayout, of row: Int64, _ tracker: _EntityTracker) throws -> [Int64]
  {
    if let known = membersByOwner[ObjectIdentifier(relationship)]?[row] { return known }
    request(relationship, of: row, tracker)
    try read()
    return membersByOwner[ObjectIdentifier(relationship)]?[row] ?? []
  }
}

extension _ContextCore {
  /// Returns the stored members of a to-many of several rows, in its order. For a to-one whose key is at the other end, returns
  /// the rows with that key.
  func storedMembers(_ rows: [Int64], _ tracker: _EntityTracker, _ relationship: RelationshipLayout) throws -> [Int64:
    [Int64]]
  {
    if rows.isEmpty { return [:] }
    var result: [Int64: [Int64]] = [:]
    switch relationship.storage {
    case .joinTable(let table, let isSource):
      for pair in try tracker.session.joinedRows(of: rows, table, isSource: isSource) {
        result[pair.row, default: []].append(pair.other)
      }
    case .inverse(let key):
      let there = try self.tracker(for: relationship.destinationLayout)
      guard case .foreignKey(let column, let order)? = there.layout.relationship(key)?.storage else { return [:] }
      let name = StoreFormat.quoted(there.layout.columns[column].name)
      let id = StoreFormat.identifierColumn
      let orders = [name] + (order.map { [StoreFormat.quoted($0)] } ?? []) + [id]
      let sql =
        "SELECT \(name), \(id) FROM \(there.statements.table) WHERE \(name) IN (SELECT value FROM larder_values(?1)) "
        + "ORDER BY \(orders.joined(separator: ", "))"
      try StoreError.mapErrors(there.store.errorURL, "reading \(there.layout.entityName)") {
        try there.session.read { connection in
          try connection.withStatement(for: sql) { statement in
            statement.bind(1, BoundValues(rows))
            while try statement.step() { result[statement.int64(0), default: []].append(statement.int64(1)) }
          }
        }
      }
    case .foreignKey: break
    }
    return result
  }
}
