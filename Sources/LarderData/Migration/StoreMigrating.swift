import Foundation
package import LarderSQLite

/// Brings a store to other models as it is opened.
///
/// Who does it, `StoreMigrator`, is in a module of its own above this one, which every program that opens stores has:
/// LarderMigration. It has much to do only when models have changed, and is not optimised, which takes a quarter of the time
/// to build.
package protocol StoreMigrating: AnyObject, SendableMetatype {
  init(_ database: Database, _ options: SQLiteStore.Options, layouts: [_ModelLayout], identifier: String)

  /// - Returns: Whether the store was migrated just now.
  func migrate() throws -> Bool

  /// What went by that though no plan says so.
  var removedProperties: [MigrationReport.RemovedProperty] { get }

  /// Whether stages of the plan are to be taken in a store that looks as it should.
  func hasPendingStages() throws -> Bool

  /// Refuses a store of a later version than that of the models.
  func rejectLaterVersion() throws
  func rejectLaterVersion(on connection: Connection) throws

  /// Refuses a store that has rows of a model's former name besides those of its own, and models that change names with each
  /// other.
  func rejectAmbiguousRenames() throws
}

extension SQLiteStore.Options {
  /// Found by its name, once: nothing in this module may depend on it.
  private static let migratorType = NSClassFromString("LarderMigration.StoreMigrator") as? any StoreMigrating.Type

  /// What brings the store to its models.
  func makeMigrator(_ database: Database, layouts: [_ModelLayout], identifier: String) throws -> any StoreMigrating {
    guard let migrator = Self.migratorType else {
      throw StoreError(
        .cannotOpen, url,
        "This program was linked without the module LarderMigration, and can open no file. Let its package depend on the "
          + "product SwiftData or Larder. The file is as it was.")
    }
    return migrator.init(database, self, layouts: layouts, identifier: identifier)
  }
}
