import Foundation
import LarderSQLite
import LarderSupport

extension SQLiteStore {
  /// More would keep a program waiting that opens the store by some of its models on purpose.
  private static let maximumCountedRows: Int64 = 100_000

  /// What the store has rows of, and some models are not.
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

  /// Says it, once for each model of a file: a program may open a store by some of its models as often as it likes.
  func warn(about models: [MigrationReport.UnlistedModel]) {
    // Another container of this program may have them.
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

/// Of what a line was written.
private enum UnlistedModelWarnings {
  private static let logged = Locked<Set<String>>([])

  static func isNew(_ model: String) -> Bool { logged.withLock { $0.insert(model).inserted } }
}
