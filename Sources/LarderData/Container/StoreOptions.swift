import Foundation
package import LarderSQLite
import Synchronization

/// The options for opening stores in this process that Apple's configuration lacks: for tests and measurements.
package struct StoreOptions: Sendable {
  package var settings = DatabaseSettings()
  package var vfs: String?
  /// Whether the store of a ``ModelConfiguration`` is used like any other ``DataStore``, by its requests alone. The tests run
  /// in both modes: `LARDER_STORES=protocols` in the environment selects this one.
  package var usesDataStores = StoreOptions.usesDataStoresByDefault
  private static let usesDataStoresByDefault = ProcessInfo.processInfo.environment["LARDER_STORES"] == "protocols"

  package init() {}

  @TaskLocal package static var current = StoreOptions()

  func apply(to options: inout SQLiteStore.Options) {
    options.settings = settings
    options.vfs = vfs
  }
}
