import LarderSQLite
import LarderSupport

/// The rows of the fetched model whose match may change because of pending changes of related objects. Example: a trip
/// is found by its stops, and a stop was renamed.
///
/// Each relationship of the predicate is followed backwards from the pending objects at its end: by the foreign keys in
/// the store, and by the current foreign keys of loaded objects. Objects whose own relationships changed are pending
/// themselves.
struct AffectedRows {
  private let core: _ContextCore
  private let root: _ModelLayout
  private let sources: [RelatedSource]

  init(_ core: _ContextCore, _ root: _ModelLayout, _ sources: [RelatedSource]) {
    self.core = core
    self.root = root
    self.sources = sources
  }

  /// The session of the one store that has all related objects.
  private var session: StoreSession { core.session(for: root) }

  /// Returns whether objects at the end of the predicate's relationships have pending changes.
  static func hasPendingChanges(_ core: _ContextCore, _ sources: [RelatedSource]) -> Bool {
    sources.contains { source in
      guard let tracker = core.existingTracker(for: source.layout) else { return false }
      return tracker.hasInserts || tracker.hasDeletions || tracker.familyDirtyMask & source.mask != 0
    }
  }

  func rows() throws -> Set<Int64> {
    var result: Set<Int64> = []
    for (index, source) in sources.enumerated() {
      guard let tracker = core.existingTracker(for: source.layout) else { continue }
      let pending = tracker.family.reduce(into: Set<Int64>()) { $0.formUnion(self.pendingRows(in: $1, source)) }
      guard !pending.isEmpty else { continue }
      result.formUnion(try traceBack(pending, from: index + 1))
    }
    return result
  }

  private func pendingRows(in tracker: _EntityTracker, _ source: RelatedSource) -> Set<Int64> {
    var rows = tracker.deletedRows
    for object in tracker.inserted { rows.insert(tracker.erased(object)._$header.pointee.rowID) }
    guard tracker.dirtyMask & source.mask != 0 else { return rows }
    for object in tracker.changed {
      let header = tracker.erased(object)._$header
      if header.pointee.changedMask & source.mask != 0 { rows.insert(header.pointee.rowID) }
    }
    return rows
  }

  /// Returns the rows of the fetched model that reference the given rows through the predicate's relationships.
  private func traceBack(_ rows: Set<Int64>, from number: Int) throws -> Set<Int64> {
    var rows = rows
    var number = number
    while number > 0, !rows.isEmpty {
      let source = sources[number - 1]
      rows = try owners(of: rows, source)
      number = source.parent
    }
    return rows
  }

  private func layout(of number: Int) -> _ModelLayout { number == 0 ? root : sources[number - 1].layout }

  private func owners(of rows: Set<Int64>, _ source: RelatedSource) throws -> Set<Int64> {
    guard let relationship = source.relationship else { return rows }
    let owner = layout(of: source.parent)
    let id = StoreFormat.identifierColumn
    let list = "(SELECT value FROM larder_values(?1))"
    switch relationship.storage {
    case .foreignKey(let column, _):
      let key = StoreFormat.quoted(owner.columns[column].name)
      var found = try select(
        "SELECT \(id) FROM \(StoreFormat.quoted(owner.tableName)) WHERE \(key) IN \(list)", rows)
      // Pending objects that reference the rows now.
      if let tracker = core.existingTracker(for: owner) {
        for object in tracker.family.flatMap({ $0.changed + $0.inserted }) {
          let model = tracker.erased(object)
          if rows.contains(model._$foreignKey(relationship.property)) { found.insert(model._$header.pointee.rowID) }
        }
      }
      return found
    case .inverse(let key):
      guard case .foreignKey(let column, _)? = source.layout.relationship(key)?.storage else { return [] }
      let name = StoreFormat.quoted(source.layout.columns[column].name)
      var found = try select(
        "SELECT \(name) FROM \(StoreFormat.quoted(source.layout.tableName)) WHERE \(id) IN \(list) "
          + "AND \(name) IS NOT NULL", rows)
      if let tracker = core.existingTracker(for: source.layout) {
        for row in rows {
          guard let model = tracker.find(row).map(tracker.erased), model._$foreignKey(key) > 0 else { continue }
          found.insert(model._$foreignKey(key))
        }
      }
      return found
    case .joinTable(let table, let isSource):
      var found = Set(try session.joinedRows(of: Array(rows), table, isSource: !isSource).map(\.other))
      if let tracker = core.existingTracker(for: owner) {
        for object in tracker.family.flatMap({ $0.changed + $0.inserted }) {
          let model = tracker.erased(object)
          guard case .many(let members?) = model._$relationshipValue(relationship.property) else { continue }
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
    return try StoreError.mapErrors(url, "looking for what pending changes concern") {
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
