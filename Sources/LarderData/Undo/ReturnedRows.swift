import LarderSQLite
import LarderSupport

/// Rows that are inserted again under the number that they had. They begin with a version that the row never had before:
/// a context that still has an object of it must see that it is another row.
struct ReturnedRows {
  /// By the object: one may leave and come back more than once before the save.
  private var rows: [ObjectIdentifier: (model: any PersistentModel, state: EntityState, version: Int64)] = [:]

  /// Far more than a row's saves between two deletions.
  static let distance: Int64 = 1 << 32

  /// - Parameter former: A version that the row had, or that an insert under its number had; 0 where there was no row.
  /// - Returns: The version of the insert: below zero, which no row has.
  mutating func note(_ model: any PersistentModel, _ state: EntityState, former: Int64) -> Int64 {
    if former == 0 || former == StoreFormat.noVersion { return StoreFormat.noVersion }
    // At random: others may have brought the row back, and deleted it, since this context knew it.
    let version = Int64.random(in: 1..<Int64.max / ReturnedRows.distance) * ReturnedRows.distance
    rows[ObjectIdentifier(model)] = (model, state, version)
    return -version
  }

  /// After the rows of a store were inserted: gives them their versions.
  ///
  /// - Parameter savings: What was inserted. What met a row that was there has that row's version.
  func write(to session: StoreSession, _ savings: [EntitySaving], _ connection: Connection) throws {
    if rows.isEmpty { return }
    let inserted = ReturnedRows.inserted(by: savings)
    var versions: [ObjectIdentifier: [Int64: Int64]] = [:]
    for (model, state, version) in rows.values
    where state.session === session && model._$header.pointee.status.contains(.inserted) {
      let row = model._$header.pointee.rowID
      guard inserted[ObjectIdentifier(state)]?.contains(row) == true else { continue }
      // Another insert of the save may have given it values since.
      let column = StoreFormat.versionColumn
      let sql =
        "UPDATE \(state.statements.table) SET \(column) = \(column) + ?1 WHERE \(StoreFormat.identifierColumn) = ?2 "
        + "RETURNING \(column)"
      try connection.withStatement(for: sql) { statement in
        statement.bind(1, version)
        statement.bind(2, row)
        while try statement.step() { versions[ObjectIdentifier(state.root), default: [:]][row] = statement.int64(0) }
      }
    }
    for saving in savings {
      if let versions = versions[ObjectIdentifier(saving.state.root)] { saving.noteReturned(versions) }
    }
  }

  /// After the commit, or a rollback. What is still to be inserted stays noted.
  ///
  /// - Returns: The noted objects; the caller holds them until its work has ended. See ``HeldUntilDone``.
  mutating func settle() -> [any PersistentModel] {
    if rows.isEmpty { return [] }
    let held = rows.values.map(\.model)
    rows = rows.filter { $0.value.model._$header.pointee.status.contains(.inserted) }
    return held
  }

  /// The rows that were inserted, by the state of their model.
  private static func inserted(by savings: [EntitySaving]) -> [ObjectIdentifier: Set<Int64>] {
    Dictionary(
      savings.map { (ObjectIdentifier($0.state), Set($0.changes.inserted)) }, uniquingKeysWith: { $0.union($1) })
  }
}

extension ModelHeader.Fields {
  /// Whether it is that of an insert which brings back a row. See ``ReturnedRows/note(_:_:former:)``.
  var isReturning: Bool { status.contains(.inserted) && version < 0 && version != StoreFormat.noVersion }
}
