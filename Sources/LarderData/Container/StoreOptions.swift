import Foundation
package import LarderSQLite
import Synchronization

/// How this process opens stores, where that is not Apple's configuration to say: for tests and measurements.
package struct StoreOptions: Sendable {
  package var settings = DatabaseSettings()
  package var vfs: String?
  /// Whether the store of a ``ModelConfiguration`` is used as any other ``DataStore`` is, by its requests alone. The tests run
  /// both ways: `LARDER_STORES=protocols` in the environment is the long one.
  package var usesDataStores = StoreOptions.usesDataStoresByDefault
  private static let usesDataStoresByDefault = ProcessInfo.processInfo.environment["LARDER_STORES"] == "protocols"

  package init() {}

  @TaskLocal package static var current = StoreOptions()

  func apply(to options: inout SQLiteStore.Options) {
    options.settings = settings
    options.vfs = vfs
  }
}
