import LarderSQLite
import LarderSupport

/// Rows that are inserted again under the number that they had. They begin with a version that the row never had before:
/// a context that still has an object of it must see that it is another row.
struct ReinsertedRows {
  /// By the object: one may leave and come back more than once before the save.
  private var rows: [ObjectIdentifier: (model: any PersistentModel, tracker: _EntityTracker, version: Int64)] = [:]

  /// Far more than a row's saves between two deletions.
  static let versionStride: Int64 = 1 << 32

  /// - Parameter former: A version that the row had, or that an insert under its number had; 0 where there was no row.
  /// - Returns: The version of the insert: below zero, which no row has.
  mutating func record(_ model: any PersistentModel, _ tracker: _EntityTracker, previousVersion former: Int64) -> Int64
  {
    if former == 0 || former == StoreFormat.unknownVersion { return StoreFormat.unknownVersion }
    // At random: others may have brought the row back, and deleted it, since this context knew it.
    let version = Int64.random(in: 1..<Int64.max / ReinsertedRows.versionStride) * ReinsertedRows.versionStride
    rows[ObjectIdentifier(model)] = (model, tracker, version)
    return -version
  }

  /// After the rows of a store were inserted: gives them their versions.
  ///
  /// - Parameter savings: What was inserted. What met a row that was there has that row's version.
  func writeVersions(to session: StoreSession, _ entityWriters: [EntityWriter], _ connection: Connection) throws {
    if rows.isEmpty { return }
    let inserted = ReinsertedRows.inserted(by: entityWriters)
    var versions: [ObjectIdentifier: [Int64: Int64]] = [:]
    for (model, tracker, version) in rows.values
    where tracker.session === session && model._$header.pointee.status.contains(.inserted) {
      let row = model._$header.pointee.rowID
      guard inserted[ObjectIdentifier(tracker)]?.contains(row) == true else { continue }
      // Another insert of the save may have given it values since.
      let column = StoreFormat.versionColumn
      let sql =
        "UPDATE \(tracker.statements.table) SET \(column) = \(column) + ?1 WHERE \(StoreFormat.identifierColumn) = ?2 "
        + "RETURNING \(column)"
      try connection.withStatement(for: sql) { statement in
        statement.bind(1, version)
        statement.bind(2, row)
        while try statement.step() { versions[ObjectIdentifier(tracker.root), default: [:]][row] = statement.int64(0) }
      }
    }
    for entityWriter in entityWriters {
      if let versions = versions[ObjectIdentifier(entityWriter.tracker.root)] {
        entityWriter.recordReinsertedVersions(versions)
      }
    }
  }

  /// After the commit, or a rollback. What is still to be inserted stays noted.
  ///
  /// - Returns: The noted objects; the caller holds them until its work has ended. See ``LifetimeGuard``.
  mutating func removeFinished() -> [any PersistentModel] {
    if rows.isEmpty { return [] }
    let held = rows.values.map(\.model)
    rows = rows.filter { $0.value.model._$header.pointee.status.contains(.inserted) }
    return held
  }

  /// The rows that were inserted, by the state of their model.
  private static func inserted(by entityWriters: [EntityWriter]) -> [ObjectIdentifier: Set<Int64>] {
    Dictionary(
      entityWriters.map { (ObjectIdentifier($0.tracker), Set($0.changes.inserted)) }, uniquingKeysWith: { $0.union($1) }
    )
  }
}

extension _ModelHeader.Fields {
  /// Whether it is that of an insert which brings back a row. See ``ReinsertedRows/record(_:_:previousVersion:)``.
  var isReinserted: Bool { status.contains(.inserted) && version < 0 && version != StoreFormat.unknownVersion }
}
