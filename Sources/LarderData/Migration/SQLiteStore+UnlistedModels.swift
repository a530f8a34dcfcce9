import Foundation
import LarderSQLite
import LarderSupport

extension SQLiteStore {
  /// The maximum number of rows to count: more would delay a program that opens the store with only some of its models
  /// on purpose.
  private static let maximumCountedRows: Int64 = 100_000

  /// Returns the models for which the store has rows and that are not among some layouts.
  func unlistedModels(excluding layouts: [_ModelLayout]) throws -> [MigrationReport.UnlistedModel] {
    if database.isInMemory { return [] }
    let names = Set(layouts.map(\.entityName))
    return try StoreError.mapErrors(url, "looking for models that the container lacks") {
      try database.read { connection in
        try StoreMetadata.tables(on: connection, at: url).flatMap { table in
          try table.classNames.filter { !names.contains($0) }.compactMap { name in
            let isOfClass = table.classCondition([name], as: "f").map { " WHERE \($0)" } ?? ""
            let most = SQLiteStore.maximumCountedRows
            let rows = try connection.int64(
              "SELECT count(*) FROM (SELECT 1 FROM \(StoreFormat.quoted(table.name)) AS f\(isOfClass) LIMIT \(most))")
            guard let rows, rows > 0 else { return nil }
            return MigrationReport.UnlistedModel(entityName: name, rows: Int(rows), isExactCount: rows < most)
          }
        }
      }
    }
  }

  /// Logs a warning, once for each model of a file: a program may open a store with some of its models repeatedly.
  func warn(about models: [MigrationReport.UnlistedModel]) {
    // Another container of this program may list the models.
    let known = Set(registeredLayouts.map(\.entityName))
    let path = url.path(percentEncoded: false)
    let new = models.filter {
      !known.contains($0.entityName) && UnlistedModelWarnings.isNew("\(path) \($0.entityName)")
    }
    if new.isEmpty { return }
    Log.warning(
      "\(StoreError.storeDescription(url)) has \(StoreError.list(new.map(\.description), separator: ", ")), which no model of the container is: "
        + "they stay in the store, and no fetch finds them. If a model was renamed, let it conform to RenamedModel. If it was "
        + "removed, and its rows are to go, let a stage of a migration plan lead to a version without it. Otherwise list it where "
        + "the container is made.")
  }
}

/// The models for which a warning was logged.
private enum UnlistedModelWarnings {
  private static let logged = Locked<Set<String>>([])

  static func isNew(_ model: String) -> Bool { logged.withLock { $0.insert(model).inserted } }
}
