import Foundation
import LarderSQLite
import LarderSupport

/// One of a container's stores, with its configuration.
package struct ContainerStore: Sendable {
  /// The name of the configuration.
  let name: String
  /// The store that contexts read and write: the SQLite store, or the cached rows of a data store of another kind.
  package let store: SQLiteStore
  /// The SQLite store that contains the models; `nil` for a data store of another kind.
  package var sqlite: SQLiteStore? { store.backend.map { $0.sqliteStore } ?? store }
  let layouts: [_ModelLayout]
  /// Whether contexts may save the entities in the store.
  let allowsSave: Bool
  /// The result of opening the store, and the entities with rows that the schema lacks.
  var migrationReport: MigrationReport {
    get throws {
      guard let sqlite else { return MigrationReport() }
      var report = sqlite.migrationReport.withLock { opening in
        defer { opening = MigrationReport() }
        return opening
      }
      report.unlistedModels = try sqlite.unlistedModels(excluding: layouts)
      sqlite.warn(about: report.unlistedModels)
      return report
    }
  }

  /// Opens the store.
  ///
  /// - Throws: ``StoreError``; the file is then unchanged. Stores of the container that were opened before stay open until
  ///   they are released, with the tables that were added to them.
  init(_ part: StoreAssignment.Entry, _ models: MigrationConfiguration, of schema: Schema) throws {
    name = part.configuration.name
    layouts = part.layouts
    guard let configuration = part.sqlite else {
      allowsSave = true
      store = try SQLiteStore.open(
        try DataStoreBackend.open(part.configuration, part.schema(of: schema), models.plan), layouts: part.layouts)
      return
    }
    allowsSave = configuration.allowsSave
    if StoreOptions.current.usesDataStores {
      let inner = try DefaultStore(configuration, part.schema(of: schema), models)
      store = try SQLiteStore.open(DataStoreAdapter(inner, schema: inner.schema), layouts: part.layouts)
      return
    }
    var options = SQLiteStore.Options(url: configuration.url)
    options.isInMemory = configuration.isStoredInMemoryOnly
    options.isReadOnly = !configuration.allowsSave && !configuration.isStoredInMemoryOnly
    options.models = models
    StoreOptions.current.apply(to: &options)
    store = try SQLiteStore.open(options, layouts: part.layouts)
    guard allowsSave else { return }
    let retention = configuration.retention
    store.historyRetention.withLock { $0 = $0?.maximum(with: retention) ?? retention }
  }

  /// Creates a value for an open store.
  init(_ store: SQLiteStore, url: URL, layouts: [_ModelLayout]) {
    name = ModelConfiguration(url: url).name
    allowsSave = !store.isReadOnly
    self.layouts = layouts
    self.store = store
  }

  /// Deletes every row of the container's entities.
  func eraseAllRows() throws {
    guard let backing = store.backend else { return try eraseSQLiteRows() }
    try backing.exclusively {
      try backing.erase()
      try eraseSQLiteRows()
      backing.invalidateRows()
    }
  }

  private func eraseSQLiteRows() throws {
    try StoreError.mapErrors(store.url, "erasing the store") {
      try StoreSession(store: store).write { connection in
        for table in Set(layouts.map(\.tableName)).inOrder() {
          try connection.execute("DELETE FROM \(StoreFormat.quoted(table))")
        }
        let number = try HistoryTable.reset(on: connection)
        store.externalCommits?.willCommit(number)
      }
    }
    store.observers.didCommitUnknownChanges()
  }
}
