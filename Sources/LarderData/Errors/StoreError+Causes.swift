package import Foundation
package import LarderSQLite

extension StoreError {
  static func emptyReadOnly(_ url: URL) -> StoreError {
    StoreError(
      .readOnly, url,
      "\(storeDescription(url)) is empty and was to be opened for reading only. Open it for writing once.")
  }

  static func newerFormat(_ url: URL, _ version: Int64) -> StoreError {
    StoreError(
      .newerFormat, url,
      "\(storeDescription(url)) has format \(version); this program reads up to format \(StoreFormat.version). "
        + "Update the program; the file is as it was.")
  }

  static func foreignDatabase(_ url: URL, tables: [String]) -> StoreError {
    StoreError(
      .foreignDatabase, url,
      "\(storeDescription(url)) is a database of another program (it holds \(tables.joined(separator: ", "))). "
        + "Choose another file; this one is as it was.")
  }

  static func unfinishedImport(_ url: URL) -> StoreError {
    StoreError(
      .unfinishedImport, url,
      "\(storeDescription(url)) is not finished: an import into it did not come to its end. Run larder import FILE STORE again "
        + "with the same export, which goes on where it was, or delete the file.")
  }

  static func damagedMetadata(_ url: URL) -> StoreError {
    StoreError(
      .damagedMetadata, url,
      "\(storeDescription(url)) has lost its entry in \(StoreFormat.metadataTable). Restore it from a copy.")
  }

  static func damagedSchema(_ url: URL) -> StoreError {
    StoreError(
      .damagedMetadata, url,
      "\(storeDescription(url)) has an entry in \(StoreFormat.metadataTable) that is no schema. Restore it from a copy; the file "
        + "is as it was.")
  }

  /// Compares the store's tables with those of the models, before anything is written.
  static func checkSchema(
    _ stored: [TableDefinition], against layouts: [_ModelLayout], at url: URL, isReadOnly: Bool
  ) throws {
    try checkSchema(stored, against: layouts, at: url, isReadOnly ? .isReadOnly : .isOpen)
  }

  /// The reason why a store with other tables is not migrated.
  enum MigrationBlocker {
    case isOpen
    case isReadOnly
    /// Another process has migrated the store to other models while it was open here.
    case wasMigrated
  }

  static func checkSchema(
    _ stored: [TableDefinition], against layouts: [_ModelLayout], at url: URL, _ hindrance: MigrationBlocker
  ) throws {
    for hierarchy in ModelHierarchy.all(layouts) {
      let layout = hierarchy.root
      guard let table = stored.first(where: { $0.name == layout.entityName }) else {
        switch hindrance {
        case .isOpen: continue
        case .isReadOnly:
          throw StoreError(
            .schemaMismatch, url,
            "\(storeDescription(url)) holds no \(layout.entityName), and was opened for reading only. "
              + "Open it for writing once, or leave the model out.")
        case .wasMigrated: throw StoreError.migratedConcurrently(url, ["it holds no \(layout.entityName) any more"])
        }
      }
      let differences = table.differences(from: TableDefinition(hierarchy))
      guard differences.isEmpty else {
        let named = differences.map { "\(layout.entityName): \($0)" }
        if hindrance == .wasMigrated { throw StoreError.migratedConcurrently(url, named) }
        throw StoreError.migrationNeeded(url, named, isOpen: hindrance == .isOpen)
      }
    }
  }

  /// Runs the body, and converts an error of SQLite to an error that names the store and a remedy.
  package static func mapErrors<Result>(
    _ url: URL?, _ context: String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw StoreError(error, url, context)
    }
  }

  package init(_ error: SQLiteError, _ url: URL?, _ context: String) {
    let code: Code =
      switch error.code {
      case .notADatabase: .notADatabase
      case .cantOpen, .permission, .authorization: .cannotOpen
      case .readOnly: .readOnly
      case .full: .diskFull
      case .busy, .locked: .busy
      case .corrupt: .corrupt
      case .ioError: .inputOutput
      default: .database
      }
    let place = url.map { "the store at \($0.path(percentEncoded: false))" } ?? "the store"
    let advice = (code == .cannotOpen ? url.flatMap(StoreError.folderAdvice) : nil) ?? error.advice
    self.init(code, url, "While \(context), \(place): \(error.message). \(advice)", underlying: error)
  }

  private static func folderAdvice(_ url: URL) -> String? {
    var isFolder = false
    let exists = FileManager.default.fileExists(atPath: url.path(percentEncoded: false), isDirectory: &isFolder)
    return exists && isFolder ? "That is a folder. Name a file in it." : nil
  }
}
