import LarderSQLite
import LarderSupport

/// Rows that are inserted again with their former row ID. They begin with a version that the row never had: a context that
/// still has an object of the former row must see that it is another row.
struct ReinsertedRows {
  /// The reinserted objects, by identity: an object may leave and come back more than once before the save.
  private var rows: [ObjectIdentifier: (model: any PersistentModel, tracker: _EntityTracker, version: Int64)] = [:]

  /// The unit of the new versions: far more than a row's saves between two deletions.
  static let versionStride: Int64 = 1 << 32

  /// Registers an insert that brings back a row.
  ///
  /// - Parameter former: A version of the row, or of an insert with its row ID; 0 if there was no row.
  /// - Returns: The version of the insert, which is negative: no row has such a version.
  mutating func record(_ model: any PersistentModel, _ tracker: _EntityTracker, previousVersion former: Int64) -> Int64
  {
    if former == 0 || former == StoreFormat.unknownVersion { return StoreFormat.unknownVersion }
    // At random: another context may have brought the row back, and deleted it, since this context knew it.
    let version = Int64.random(in: 1..<Int64.max / ReinsertedRows.versionStride) * ReinsertedRows.versionStride
    rows[ObjectIdentifier(model)] = (model, tracker, version)
    return -version
  }

  /// Writes the versions of the rows of a store, after the rows were inserted.
  ///
  /// - Parameter entityWriters: The writers of the inserted rows. An insert that was resolved to an existing row has that
  ///   row's version.
  func writeVersions(to session: StoreSession, _ entityWriters: [EntityWriter], _ connection: Connection) throws {
    if rows.isEmpty { return }
    let inserted = ReinsertedRows.inserted(by: entityWriters)
    var versions: [ObjectIdentifier: [Int64: Int64]] = [:]
    for (model, tracker, version) in rows.values
    where tracker.session === session && model._$header.pointee.status.contains(.inserted) {
      let row = model._$header.pointee.rowID
      guard inserted[ObjectIdentifier(tracker)]?.contains(row) == true else { continue }
      // Added, since another insert of the save may have updated the row and raised its version.
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

  /// Removes the finished objects, after a commit or a rollback. Objects that are still to be inserted stay.
  ///
  /// - Returns: All objects that were registered; the caller holds them until its work has ended. See ``LifetimeGuard``.
  mutating func removeFinished() -> [any PersistentModel] {
    if rows.isEmpty { return [] }
    let held = rows.values.map(\.model)
    rows = rows.filter { $0.value.model._$header.pointee.status.contains(.inserted) }
    return held
  }

  /// Returns the inserted rows by the tracker of their model.
  private static func inserted(by entityWriters: [EntityWriter]) -> [ObjectIdentifier: Set<Int64>] {
    Dictionary(
      entityWriters.map { (ObjectIdentifier($0.tracker), Set($0.changes.inserted)) }, uniquingKeysWith: { $0.union($1) }
    )
  }
}

extension _ModelHeader.Fields {
  /// Whether these are the fields of an insert that brings back a row. See ``ReinsertedRows/record(_:_:previousVersion:)``.
  var isReinserted: Bool { status.contains(.inserted) && version < 0 && version != StoreFormat.unknownVersion }
}
