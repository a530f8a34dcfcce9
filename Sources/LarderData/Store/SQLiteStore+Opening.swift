package import Foundation
package import LarderSQLite
import LarderSupport

extension SQLiteStore {
  /// The options for opening a store.
  package struct Options: Sendable {
    package var url: URL
    package var isInMemory = false
    package var isReadOnly = false
    package var settings = DatabaseSettings()
    /// The name of a registered VFS, for tests.
    package var vfs: String?
    package var models = MigrationConfiguration()

    package init(url: URL) { self.url = url }
  }

  /// Opens a store and creates missing parts: the file, the metadata, the tables of new entities.
  ///
  /// - Throws: ``StoreError``. The file is then unchanged.
  package static func open(_ options: Options, layouts: [_ModelLayout]) throws -> SQLiteStore {
    do {
      if options.isInMemory { return try openInMemory(options, layouts: layouts) }
      return try StoreRegistry.shared.store(for: options) {
        try openFile(options, layouts: layouts)
      } reusing: { store in
        if try needsMigration(store, options, layouts) { return false }
        try requireNoPendingStages(store, options, layouts)
        try store.prepareTables(layouts, isReadOnly: options.isReadOnly)
        return true
      }
    } catch var error as StoreError {
      error.occurredWhileOpening = true
      throw error
    }
  }

  /// Whether an open store does not match the models, or migration stages are pending. The store is then opened once more, as
  /// another process would open it, and the contexts of the open one are notified.
  private static func needsMigration(_ store: SQLiteStore, _ options: Options, _ layouts: [_ModelLayout]) throws -> Bool
  {
    if options.isReadOnly { return false }
    let migrator = try options.makeMigrator(store.database, layouts: layouts, identifier: store.identifier)
    return try StoreError.mapErrors(options.url, "looking at the store's tables") {
      try migrator.rejectLaterVersion()
      try migrator.rejectAmbiguousRenames()
      if try migrator.hasPendingStages() { return true }
      let stored = try store.database.read { try StoreMetadata.tables(on: $0, at: options.url) }
      let names = Set(stored.flatMap(\.classNames))
      let isRenamed = layouts.contains { layout in
        guard let renamed = layout.type as? any RenamedModel.Type else { return false }
        return names.contains(renamed.originalEntityName) && !names.contains(layout.entityName)
      }
      if isRenamed { return true }
      do {
        try StoreError.checkSchema(stored, against: layouts, at: options.url, isReadOnly: false)
        return false
      } catch let error as StoreError where error.code == .schemaMismatch {
        return true
      }
    }
  }

  /// Throws if stages are pending: a read-only store is not migrated, so it must not be used like a migrated one.
  private static func requireNoPendingStages(_ store: SQLiteStore, _ options: Options, _ layouts: [_ModelLayout]) throws
  {
    let migrator = try options.makeMigrator(store.database, layouts: layouts, identifier: store.identifier)
    try migrator.rejectLaterVersion()
    try StoreError.mapErrors(options.url, "looking for models of former names") {
      try migrator.rejectAmbiguousRenames()
    }
    guard try migrator.hasPendingStages() else { return }
    throw StoreError.migrationNeeded(
      options.url, ["stages of the migration plan are to be taken"], isOpen: !options.isReadOnly)
  }

  /// Creates the rows in memory on which contexts of a data store of another kind work.
  static func open(_ backend: some StorageBackend, layouts: [_ModelLayout]) throws -> SQLiteStore {
    var options = Options(url: ModelConfiguration.memoryURL)
    options.isInMemory = true
    // A save of the data store may block them for its whole duration.
    options.settings.queueTimeout = type(of: backend).requestTimeout
    return try openInMemory(options, backend, layouts: layouts)
  }

  private static func openInMemory(
    _ options: Options, _ backend: (any StorageBackend)? = nil, layouts: [_ModelLayout]
  ) throws -> SQLiteStore {
    let database = try StoreError.mapErrors(options.url, "opening a store in memory") {
      try Database(inMemory: options.settings) { try PredicateFunctions.register(on: $0) }
    }
    let identifier = try StoreError.mapErrors(options.url, "making a store in memory") {
      try database.write { connection in
        try StoreMetadata.create(on: connection)
        return try StoreMetadata.storeIdentifier(on: connection)
      }
    }
    guard let identifier else { throw StoreError.damagedMetadata(options.url) }
    let store = SQLiteStore(
      database: database, url: options.url, identifier: backend?.identifier ?? identifier, isReadOnly: false,
      backend: backend)
    try store.prepareTables(layouts, isReadOnly: false)
    if let backend {
      try StoreError.mapErrors(options.url, "making a store in memory") {
        try database.write { try backend.prepare(layouts, on: $0) }
      }
    }
    return store
  }

  private static func openFile(_ options: Options, layouts: [_ModelLayout]) throws -> SQLiteStore {
    let path = options.url.path(percentEncoded: false)
    var isNew = false
    let database = try StoreError.mapErrors(options.url, "opening") {
      try Database(
        path: path, access: options.isReadOnly ? .readOnly : .create, settings: options.settings, vfs: options.vfs
      ) { connection in
        // Before anything is written: a file of another program stays unchanged.
        switch try StoreMetadata.kind(of: connection) {
        case .empty:
          isNew = true
          if options.isReadOnly { throw StoreError.emptyReadOnly(options.url) }
        case .larder(let version) where version > StoreFormat.version:
          throw StoreError.newerFormat(options.url, version)
        case .larder:
          let stored = try StoreMetadata.tables(on: connection, at: options.url)
          if options.isReadOnly {
            try StoreError.checkSchema(stored, against: layouts, at: options.url, isReadOnly: true)
          }
        case .unfinishedImport:
          throw StoreError.unfinishedImport(options.url)
        case .foreign(let tables):
          throw StoreError.foreignDatabase(options.url, tables: tables)
        }
      } prepare: { connection in
        try PredicateFunctions.register(on: connection)
      }
    }
    let identifier = try StoreError.mapErrors(options.url, "reading the store's bookkeeping") {
      if isNew {
        return try database.write { connection in
          // Another process may have created the store first.
          if case .empty = try StoreMetadata.kind(of: connection) {
            try StoreMetadata.create(on: connection)
            try StoreMetadata.setVersion(options.models.newestVersion, on: connection)
          }
          return try StoreMetadata.storeIdentifier(on: connection)
        }
      }
      return try database.read { try StoreMetadata.storeIdentifier(on: $0) }
    }
    guard let identifier else { throw StoreError.damagedMetadata(options.url) }
    let migrator = try options.makeMigrator(database, layouts: layouts, identifier: identifier)
    var isMigrated = false
    if !options.isReadOnly {
      isMigrated = try StoreError.mapErrors(options.url, "migrating") {
        try migrator.rejectLaterVersion()
        try migrator.rejectAmbiguousRenames()
        do { return try migrator.migrate() } catch let error as SQLiteError where error.code == .busy {
          throw StoreError.busyBeforeMigration(options.url, options.settings.busyTimeout, error)
        }
      }
      try StoreError.mapErrors(options.url, "bringing the store to this version of its format") {
        let version = try database.read { try $0.int64("PRAGMA user_version") ?? 0 }
        if version < StoreFormat.version { try database.write { try StoreMetadata.upgradeFormat(on: $0) } }
      }
    }
    let store = SQLiteStore(
      database: database, url: options.url, identifier: identifier, isReadOnly: options.isReadOnly,
      newestVersion: options.models.hasExplicitVersion ? options.models.newestVersion : nil)
    if isMigrated {
      store.migrationReport.withLock {
        $0.isMigrated = true
        $0.removedProperties = migrator.removedProperties
      }
    }
    if options.isReadOnly { try requireNoPendingStages(store, options, layouts) }
    try store.prepareTables(layouts, isReadOnly: options.isReadOnly)
    try StoreError.mapErrors(options.url, "reading the store's history") {
      try database.read { connection in
        try store.externalCommits?.initialize(on: connection)
        // Another process may have migrated the store since its tables were read.
        let tables = try StoreMetadata.tables(on: connection, at: options.url)
        try migrator.rejectLaterVersion(on: connection)
        try StoreError.checkSchema(tables, against: layouts, at: options.url, isReadOnly: options.isReadOnly)
        if !isMigrated, !options.isReadOnly, let number = try StoreMetadata.previousCopy(on: connection) {
          store.previousCopy.withLock { $0 = (MigrationBackup(options.url, vfs: options.vfs), number) }
        }
      }
    }
    return store
  }

  /// Creates the tables of new entities, after a check of the existing ones.
  func prepareTables(_ layouts: [_ModelLayout], isReadOnly: Bool) throws {
    let hierarchies = ModelHierarchy.all(layouts)
    try StoreError.mapErrors(url, "preparing the tables") {
      let stored = try database.read { try StoreMetadata.tables(on: $0, at: url) }
      try StoreError.checkSchema(stored, against: layouts, at: url, isReadOnly: isReadOnly)
      let missing = hierarchies.filter { hierarchy in !stored.contains { $0.name == hierarchy.root.entityName } }
      guard !missing.isEmpty else { return }
      try database.write { connection in
        var tables = try StoreMetadata.tables(on: connection, at: url)
        try StoreError.checkSchema(tables, against: layouts, at: url, isReadOnly: isReadOnly)
        let new = missing.map { TableDefinition($0) }.filter { one in !tables.contains { $0.name == one.name } }
        let clashes = StoreNamespace(tables + new).collisions
        guard clashes.isEmpty else { throw StoreError.notMigratable(url, clashes) }
        for definition in new {
          for statement in definition.creation { try connection.execute(statement) }
          tables.append(definition)
        }
        try StoreMetadata.setTables(tables.inOrder { $0.name < $1.name }, on: connection)
        try StoreMetadata.countUnrecordedCommit(on: connection)
      }
      // Wake processes that use an entity without a table at once, and not at their next poll.
      database.signal?.signalCommit()
    }
    register(layouts)
    for hierarchy in hierarchies { register(hierarchy) }
  }
}
