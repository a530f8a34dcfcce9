import Foundation
import LarderData
import LarderSQLite
import SwiftData

/// A container with crates in one store and sensors in another.
struct TwoStores {
  // Kept for the files.
  let folder: TestFolder
  let container: ModelContainer

  init(
    _ place: StoreLocation = .disk, in folder: TestFolder = TestFolder(), isReversed: Bool = false,
    sensorsAllowSave: Bool = true
  ) throws {
    self.folder = folder
    let configurations =
      place == .disk
      ? [
        ModelConfiguration("crates", schema: Schema([Crate.self]), url: folder.url("crates.store")),
        ModelConfiguration(
          "sensors", schema: Schema([Sensor.self]), url: folder.url("sensors.store"), allowsSave: sensorsAllowSave),
      ]
      : [
        ModelConfiguration("crates", schema: Schema([Crate.self]), isStoredInMemoryOnly: true),
        ModelConfiguration(
          "sensors", schema: Schema([Sensor.self]), isStoredInMemoryOnly: true, allowsSave: sensorsAllowSave),
      ]
    container = try ModelContainer(
      for: Crate.self, Sensor.self, configurations: isReversed ? configurations.reversed() : configurations)
  }

  func context() -> ModelContext { ModelContext(container) }

  /// The store of one of the models.
  func store(_ layout: _ModelLayout) -> SQLiteStore {
    container.core.stores[container.core.storeIndex(of: layout)].store
  }

  /// The stores in the order in which saves commit: the second of those that saves begin to write to comes first.
  var committedFirst: SQLiteStore { stores[1] }
  var committedLast: SQLiteStore { stores[0] }
  private var stores: [SQLiteStore] { container.core.stores.map(\.store).sorted { $0.identifier < $1.identifier } }

  /// How many rows of each model are stored.
  func counts() throws -> [Int64] {
    try [Crate._$layout, Sensor._$layout].map { layout in
      try store(layout).database.read { try $0.int64("SELECT count(*) FROM \"\(layout.tableName)\"") ?? -1 }
    }
  }
}
