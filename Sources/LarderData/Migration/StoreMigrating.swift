import Foundation
package import LarderSQLite

/// An object that migrates a store to other models when it is opened.
///
/// The implementation, `StoreMigrator`, is in LarderMigration, a module above this one that every program which opens
/// stores links. It has work to do only when models have changed, so it is compiled without optimisation, which takes a
/// quarter of the time to build.
package protocol StoreMigrating: AnyObject, SendableMetatype {
  init(_ database: Database, _ options: SQLiteStore.Options, layouts: [_ModelLayout], identifier: String)

  /// Migrates the store if necessary.
  ///
  /// - Returns: Whether the store was migrated by this call.
  func migrate() throws -> Bool

  /// The properties that the migration removed although no plan says so.
  var removedProperties: [MigrationReport.RemovedProperty] { get }

  /// Returns whether stages of the plan must run in a store whose schema is current.
  func hasPendingStages() throws -> Bool

  /// Throws if the store has a later version than the models.
  func rejectLaterVersion() throws
  func rejectLaterVersion(on connection: Connection) throws

  /// Throws if the store has rows under a model's former name in addition to rows under its current name, or if models
  /// exchange names.
  func rejectAmbiguousRenames() throws
}

extension SQLiteStore.Options {
  /// The implementation, looked up by its name once: this module must not depend on it.
  private static let migratorType = NSClassFromString("LarderMigration.StoreMigrator") as? any StoreMigrating.Type

  /// Returns the object that migrates the store to its models.
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
