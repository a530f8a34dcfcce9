internal import LarderSQLite
import LarderSupport

/// What the store has in the to-manys of several objects, in their order: asked for together, and read by one statement
/// for each relationship.
struct StoredLists {
  private struct Wanted {
    let state: EntityState
    let relation: RelationLayout
    var rows: Set<Int64> = []
  }

  private let core: ContextCore
  private var wanted: [ObjectIdentifier: Wanted] = [:]
  private var lists: [ObjectIdentifier: [Int64: [Int64]]] = [:]

  init(_ core: ContextCore) { self.core = core }

  mutating func want(_ relation: RelationLayout, of row: Int64, _ state: EntityState) {
    wanted[ObjectIdentifier(relation), default: Wanted(state: state, relation: relation)].rows.insert(row)
  }

  mutating func read() throws {
    for (relation, wanted) in wanted {
      let found = try core.storedLists(wanted.rows.inOrder(), wanted.state, wanted.relation)
      for row in wanted.rows { lists[relation, default: [:]][row] = found[row] ?? [] }
    }
    wanted = [:]
  }

  /// One that nobody asked for in time is read by itself.
  mutating func members(_ relation: RelationLayout, of row: Int64, _ state: EntityState) throws -> [Int64] {
    if let known = lists[ObjectIdentifier(relation)]?[row] { return known }
    want(relation, of: row, state)
    try read()
    return lists[ObjectIdentifier(relation)]?[row] ?? []
  }
}

extension ContextCore {
  /// What the store has in a to-many of some rows, in its order; of a to-one whose key is at the other end, the rows
  /// that have it.
  func storedLists(_ rows: [Int64], _ state: EntityState, _ relation: RelationLayout) throws -> [Int64: [Int64]] {
    if rows.isEmpty { return [:] }
    var result: [Int64: [Int64]] = [:]
    switch relation.form {
    case .link(let table, let isSource):
      for pair in try state.session.linkedRows(of: rows, table, isSource: isSource) {
        result[pair.row, default: []].append(pair.other)
      }
    case .mirror(let key):
      let there = try self.state(for: relation.destinationLayout)
      guard case .key(let column, let order)? = there.layout.relation(key)?.form else { return [:] }
      let name = StoreFormat.quoted(there.layout.columns[column].name)
      let id = StoreFormat.identifierColumn
      let orders = [name] + (order.map { [StoreFormat.quoted($0)] } ?? []) + [id]
      let sql =
        "SELECT \(name), \(id) FROM \(there.statements.table) WHERE \(name) IN (SELECT value FROM larder_values(?1)) "
        + "ORDER BY \(orders.joined(separator: ", "))"
      try StoreError.wrapping(there.store.errorURL, "reading \(there.layout.entityName)") {
        try there.session.read { connection in
          try connection.withStatement(for: sql) { statement in
            statement.bind(1, BoundValues(rows))
            while try statement.step() { result[statement.int64(0), default: []].append(statement.int64(1)) }
          }
        }
      }
    case .key: break
    }
    return result
  }
}
