import LarderSQLite
import LarderSupport

/// The rows of a fetch whose answer pending changes of other objects may alter: a trip is found by its stops, and a stop
/// was renamed.
///
/// Every relationship of the predicate is followed back from what is pending at its end: by the keys that the store has,
/// and by those that the objects have by now. Objects whose own relationships changed are pending themselves.
struct AffectedRows {
  private let core: ContextCore
  private let root: ModelLayout
  private let sources: [RelatedSource]

  init(_ core: ContextCore, _ root: ModelLayout, _ sources: [RelatedSource]) {
    self.core = core
    self.root = root
    self.sources = sources
  }

  /// What is related lies in one store.
  private var session: StoreSession { core.session(for: root) }

  /// Whether anything is pending that a predicate reads behind its relationships.
  static func areThere(_ core: ContextCore, _ sources: [RelatedSource]) -> Bool {
    sources.contains { source in
      guard let state = core.existingState(for: source.layout) else { return false }
      return state.hasInserts || state.hasDeletions || state.familyDirtyMask & source.mask != 0
    }
  }

  func rows() throws -> Set<Int64> {
    var result: Set<Int64> = []
    for (index, source) in sources.enumerated() {
      guard let state = core.existingState(for: source.layout) else { continue }
      let pending = state.family.reduce(into: Set<Int64>()) { $0.formUnion(self.pending(in: $1, source)) }
      guard !pending.isEmpty else { continue }
      result.formUnion(try follow(pending, backFrom: index + 1))
    }
    return result
  }

  private func pending(in state: EntityState, _ source: RelatedSource) -> Set<Int64> {
    var rows = state.deletedRows
    for object in state.inserted { rows.insert(state.erased(object)._$header.pointee.rowID) }
    guard state.dirtyMask & source.mask != 0 else { return rows }
    for object in state.changed {
      let header = state.erased(object)._$header
      if header.pointee.changed & source.mask != 0 { rows.insert(header.pointee.rowID) }
    }
    return rows
  }

  /// The rows of the fetched model from which relationships lead to these.
  private func follow(_ rows: Set<Int64>, backFrom number: Int) throws -> Set<Int64> {
    var rows = rows
    var number = number
    while number > 0, !rows.isEmpty {
      let source = sources[number - 1]
      rows = try owners(of: rows, source)
      number = source.parent
    }
    return rows
  }

  private func layout(of number: Int) -> ModelLayout { number == 0 ? root : sources[number - 1].layout }

  private func owners(of rows: Set<Int64>, _ source: RelatedSource) throws -> Set<Int64> {
    guard let relation = source.relation else { return rows }
    let owner = layout(of: source.parent)
    let id = StoreFormat.identifierColumn
    let list = "(SELECT value FROM larder_values(?1))"
    switch relation.form {
    case .key(let column, _):
      let key = StoreFormat.quoted(owner.columns[column].name)
      var found = try select(
        "SELECT \(id) FROM \(StoreFormat.quoted(owner.tableName)) WHERE \(key) IN \(list)", rows)
      // Those that refer to them since.
      if let state = core.existingState(for: owner) {
        for object in state.family.flatMap({ $0.changed + $0.inserted }) {
          let model = state.erased(object)
          if rows.contains(model._$key(relation.property)) { found.insert(model._$header.pointee.rowID) }
        }
      }
      return found
    case .mirror(let key):
      guard case .key(let column, _)? = source.layout.relation(key)?.form else { return [] }
      let name = StoreFormat.quoted(source.layout.columns[column].name)
      var found = try select(
        "SELECT \(name) FROM \(StoreFormat.quoted(source.layout.tableName)) WHERE \(id) IN \(list) "
          + "AND \(name) IS NOT NULL", rows)
      if let state = core.existingState(for: source.layout) {
        for row in rows {
          guard let model = state.find(row).map(state.erased), model._$key(key) > 0 else { continue }
          found.insert(model._$key(key))
        }
      }
      return found
    case .link(let table, let isSource):
      var found = Set(try session.linkedRows(of: Array(rows), table, isSource: !isSource).map(\.other))
      if let state = core.existingState(for: owner) {
        for object in state.family.flatMap({ $0.changed + $0.inserted }) {
          let model = state.erased(object)
          guard case .many(let members?) = model._$relation(relation.property) else { continue }
          if members.contains(where: { rows.contains($0._$header.pointee.rowID) }) {
            found.insert(model._$header.pointee.rowID)
          }
        }
      }
      return found
    }
  }

  private func select(_ sql: String, _ rows: Set<Int64>) throws -> Set<Int64> {
    let url = session.store.errorURL
    return try StoreError.wrapping(url, "looking for what pending changes concern") {
      try session.read { connection in
        try connection.withStatement(for: sql) { statement in
          statement.bind(1, BoundValues(Array(rows)))
          var result: Set<Int64> = []
          while try statement.step() { result.insert(statement.int64(0)) }
          return result
        }
      }
    }
  }
}
