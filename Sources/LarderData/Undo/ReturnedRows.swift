import LarderSQLite
import LarderSupport

/// Rows that are inserted again under the number that they had. They begin with a version that the row never had before:
/// a context that still has an object of it must see that it is another row.
struct ReturnedRows {
  private var rows: [(model: any PersistentModel, state: EntityState, version: Int64)] = []

  /// Far more than a row's saves between two deletions.
  static let distance: Int64 = 1 << 32

  /// - Parameter former: A version that the row had, or that an insert under its number had; 0 where there was no row.
  /// - Returns: The version of the insert: below zero, which no row has.
  mutating func note(_ model: any PersistentModel, _ state: EntityState, former: Int64) -> Int64 {
    if former == 0 || former == StoreFormat.noVersion { return StoreFormat.noVersion }
    let version = (abs(former) / ReturnedRows.distance &+ 1) &* ReturnedRows.distance
    rows.append((model, state, version))
    return -version
  }

  /// After the rows of a store were inserted.
  func write(to session: StoreSession, _ connection: Connection) throws {
    for (model, state, version) in rows
    where state.session === session && model._$header.pointee.status.contains(.inserted) {
      let sql =
        "UPDATE \(state.statements.table) SET \(StoreFormat.versionColumn) = ?1 "
        + "WHERE \(StoreFormat.identifierColumn) = ?2 AND \(StoreFormat.versionColumn) = 1"
      try connection.withStatement(for: sql) { statement in
        statement.bind(1, version)
        statement.bind(2, model._$header.pointee.rowID)
        try statement.run()
      }
    }
  }

  /// After the commit, or a rollback. What was written has the version that it was given; what is still to be written stays
  /// noted.
  ///
  /// - Returns: What was noted, to be held until nobody is at work any more.
  mutating func settle() -> [any PersistentModel] {
    if rows.isEmpty { return [] }
    let held = rows.map(\.model)
    for (model, _, version) in rows {
      let header = model._$header
      if header.pointee.status.contains(.stored), header.pointee.version == 1 { header.pointee.version = version }
    }
    rows.removeAll { !$0.model._$header.pointee.status.contains(.inserted) }
    return held
  }
}

extension ModelHeader.Fields {
  /// Whether it is that of an insert which brings back a row. See ``ReturnedRows/note(_:_:former:)``.
  var isReturning: Bool { status.contains(.inserted) && version < 0 && version != StoreFormat.noVersion }
}
