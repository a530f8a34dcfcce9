import Foundation
import LarderSQLite

/// One of a container's stores, and the configuration that led to it.
package struct ContainerStore: Sendable {
  let configuration: ModelConfiguration
  package let store: SQLiteStore
  let layouts: [ModelLayout]
  /// Whether contexts may save what lies in it.
  var allowsSave: Bool { configuration.allowsSave }

  /// Opens it.
  ///
  /// - Throws: ``StoreError``; the file is then as it was. Those of the container that were opened before stay open until
  ///   they are let go, with the tables that they lacked.
  init(_ part: StorePlan.Part, _ models: StoreModels) throws {
    configuration = part.configuration
    layouts = part.layouts
    var options = SQLiteStore.Options(url: configuration.url)
    options.isInMemory = configuration.isStoredInMemoryOnly
    options.isReadOnly = !configuration.allowsSave && !configuration.isStoredInMemoryOnly
    options.models = models
    StoreOptions.current.apply(to: &options)
    store = try SQLiteStore.open(options, layouts: part.layouts)
    guard allowsSave else { return }
    let retention = part.configuration.retention
    store.historyRetention.withLock { $0 = $0?.united(with: retention) ?? retention }
  }

  /// One that is open already.
  init(_ store: SQLiteStore, url: URL, layouts: [ModelLayout]) {
    configuration = ModelConfiguration(url: url, allowsSave: !store.isReadOnly)
    self.layouts = layouts
    self.store = store
  }

  /// Removes every row of the container's models.
  func erase() throws {
    try StoreError.wrapping(store.url, "erasing the store") {
      try StoreSession(store: store).write { connection in
        for table in Set(layouts.map(\.tableName)).sorted() {
          try connection.execute("DELETE FROM \(StoreFormat.quoted(table))")
        }
        let number = try HistoryTable.beginAnew(on: connection)
        store.others?.comes(number)
      }
    }
    store.inboxes.deliverEverything()
    store.watches.publishEverything()
  }
}
