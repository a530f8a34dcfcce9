package import LarderSQLite
import Synchronization

/// How this process opens stores, where that is not Apple's configuration to say: for tests and measurements.
package struct StoreOptions: Sendable {
  package var settings = Settings()
  package var vfs: String?

  package init() {}

  @TaskLocal package static var current = StoreOptions()

  func apply(to options: inout SQLiteStore.Options) {
    options.settings = settings
    options.vfs = vfs
  }
}
