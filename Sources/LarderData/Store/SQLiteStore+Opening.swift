package import Foundation
package import LarderSQLite
import LarderSupport

extension SQLiteStore {
  /// How a store is opened.
  package struct Options: Sendable {
    package var url: URL
    package var isInMemory = false
    package var isReadOnly = false
    package var settings = Settings()
    /// The name of a registered VFS, for tests.
    package var vfs: String?
    package var models = StoreModels()

    package init(url: URL) { self.url = url }
  }

  /// Opens a store and makes what it lacks: the file, the bookkeeping, the tables of models that are new to it.
  ///
  /// - Throws: ``StoreError``. The file stays as it was.
  package static func open(_ options: Options, layouts: [ModelLayout]) throws -> SQLiteStore {
    do {
      if options.isInMemory { return try openInMemory(options, layouts: layouts) }
      return try StoreRegistry.shared.store(for: options) {
        try openFile(options, layouts: layouts)
      } reusing: { store in
        if try isToBeMigrated(store, options, layouts) { return false }
        try refuseStages(store, options, layouts)
        try store.prepareTables(layouts, isReadOnly: options.isReadOnly)
        return true
      }
    } catch var error as StoreError {
      error.isOfOpening = true
      throw error
    }
  }

  /// Whether a store that is open already does not fit the models, or stages of a plan are to be taken. It is then opened once
  /// more, as another process would open it, and what had it open is told.
  private static func isToBeMigrated(_ store: SQLiteStore, _ options: Options, _ layouts: [ModelLayout]) throws -> Bool
  {
    if options.isReadOnly { return false }
    let migrator = try options.migrator(store.database, layouts: layouts, identifier: store.identifier)
    return try StoreError.wrapping(options.url, "looking at the store's tables") {
      try migrator.refuseLaterVersion()
      try migrator.refuseUnclearRenames()
      if try migrator.hasStagesToTake() { return true }
      let stored = try store.database.read { try Bookkeeping.tables(on: $0, at: options.url) }
      let names = Set(stored.flatMap(\.classNames))
      let isRenamed = layouts.contains { layout in
        guard let renamed = layout.type as? any RenamedModel.Type else { return false }
        return names.contains(renamed.originalEntityName) && !names.contains(layout.entityName)
      }
      if isRenamed { return true }
      do {
        try StoreError.check(stored, against: layouts, at: options.url, isReadOnly: false)
        return false
      } catch let error as StoreError where error.code == .schemaMismatch {
        return true
      }
    }
  }

  /// A store that is only read is not migrated; so it must not be taken for one that was.
  private static func refuseStages(_ store: SQLiteStore, _ options: Options, _ layouts: [ModelLayout]) throws {
    let migrator = try options.migrator(store.database, layouts: layouts, identifier: store.identifier)
    try migrator.refuseLaterVersion()
    try StoreError.wrapping(options.url, "looking for models of former names") { try migrator.refuseUnclearRenames() }
    guard try migrator.hasStagesToTake() else { return }
    throw StoreError.migrationNeeded(
      options.url, ["stages of the migration plan are to be taken"], isOpen: !options.isReadOnly)
  }

  /// Makes the rows in memory that contexts work on for another kind of store.
  static func open(_ backend: some StorageBackend, layouts: [ModelLayout]) throws -> SQLiteStore {
    var options = Options(url: ModelConfiguration.memoryURL)
    options.isInMemory = true
    // They are in use for as long as a store takes to save.
    options.settings.queueLimit = type(of: backend).longestWait
    return try openInMemory(options, backend, layouts: layouts)
  }

  private static func openInMemory(
    _ options: Options, _ backend: (any StorageBackend)? = nil, layouts: [ModelLayout]
  ) throws -> SQLiteStore {
    let database = try StoreError.wrapping(options.url, "opening a store in memory") {
      try Database(inMemory: options.settings) { try PredicateFunctions.register(on: $0) }
    }
    let identifier = try StoreError.wrapping(options.url, "making a store in memory") {
      try database.write { connection in
        try Bookkeeping.create(on: connection)
        return try Bookkeeping.storeIdentifier(on: connection)
      }
    }
    guard let identifier else { throw StoreError.damagedBookkeeping(options.url) }
    let store = SQLiteStore(
      database: database, url: options.url, identifier: backend?.identifier ?? identifier, isReadOnly: false,
      backend: backend)
    try store.prepareTables(layouts, isReadOnly: false)
    if let backend {
      try StoreError.wrapping(options.url, "making a store in memory") {
        try database.write { try backend.prepare(layouts, on: $0) }
      }
    }
    return store
  }

  private static func openFile(_ options: Options, layouts: [ModelLayout]) throws -> SQLiteStore {
    let path = options.url.path(percentEncoded: false)
    var isNew = false
    let database = try StoreError.wrapping(options.url, "opening") {
      try Database(
        path: path, access: options.isReadOnly ? .readOnly : .create, settings: options.settings, vfs: options.vfs
      ) { connection in
        // Before anything is written: a file that is not ours stays as it is.
        switch try Bookkeeping.kind(of: connection) {
        case .empty:
          isNew = true
          if options.isReadOnly { throw StoreError.emptyReadOnly(options.url) }
        case .larder(let version) where version > StoreFormat.version:
          throw StoreError.newerFormat(options.url, version)
        case .larder:
          let stored = try Bookkeeping.tables(on: connection, at: options.url)
          if options.isReadOnly { try StoreError.check(stored, against: layouts, at: options.url, isReadOnly: true) }
        case .unfinishedImport:
          throw StoreError.unfinishedImport(options.url)
        case .foreign(let tables):
          throw StoreError.foreign(options.url, tables: tables)
        }
      } prepare: { connection in
        try PredicateFunctions.register(on: connection)
      }
    }
    let identifier = try StoreError.wrapping(options.url, "reading the store's bookkeeping") {
      if isNew {
        return try database.write { connection in
          // Another process may have been quicker.
          if case .empty = try Bookkeeping.kind(of: connection) {
            try Bookkeeping.create(on: connection)
            try Bookkeeping.setVersion(options.models.newestVersion, on: connection)
          }
          return try Bookkeeping.storeIdentifier(on: connection)
        }
      }
      return try database.read { try Bookkeeping.storeIdentifier(on: $0) }
    }
    guard let identifier else { throw StoreError.damagedBookkeeping(options.url) }
    let migrator = try options.migrator(database, layouts: layouts, identifier: identifier)
    var isMigrated = false
    if !options.isReadOnly {
      isMigrated = try StoreError.wrapping(options.url, "migrating") {
        try migrator.refuseLaterVersion()
        try migrator.refuseUnclearRenames()
        do { return try migrator.run() } catch let error as SQLiteError where error.code == .busy {
          throw StoreError.busyMigrating(options.url, options.settings.busyLimit, error)
        }
      }
      try StoreError.wrapping(options.url, "bringing the store to this version of its format") {
        let version = try database.read { try $0.int64("PRAGMA user_version") ?? 0 }
        if version < StoreFormat.version { try database.write { try Bookkeeping.bringUpToDate(on: $0) } }
      }
    }
    let store = SQLiteStore(
      database: database, url: options.url, identifier: identifier, isReadOnly: options.isReadOnly,
      newestVersion: options.models.hasNumber ? options.models.newestVersion : nil)
    if isMigrated {
      store.opening.withLock {
        $0.isMigrated = true
        $0.removedProperties = migrator.removedProperties
      }
    }
    if options.isReadOnly { try refuseStages(store, options, layouts) }
    try store.prepareTables(layouts, isReadOnly: options.isReadOnly)
    try StoreError.wrapping(options.url, "reading the store's history") {
      try database.read { connection in
        try store.others?.begin(on: connection)
        // Another process may have migrated it since its tables were looked at.
        let tables = try Bookkeeping.tables(on: connection, at: options.url)
        try migrator.refuseLaterVersion(on: connection)
        try StoreError.check(tables, against: layouts, at: options.url, isReadOnly: options.isReadOnly)
        if !isMigrated, !options.isReadOnly, let number = try Bookkeeping.former(on: connection) {
          store.formerCopy.withLock { $0 = (FormerCopy(options.url, vfs: options.vfs), number) }
        }
      }
    }
    return store
  }

  /// Makes the tables of models that the store does not know yet, after comparing those that it knows.
  func prepareTables(_ layouts: [ModelLayout], isReadOnly: Bool) throws {
    let hierarchies = ModelHierarchy.all(layouts)
    try StoreError.wrapping(url, "preparing the tables") {
      let stored = try database.read { try Bookkeeping.tables(on: $0, at: url) }
      try StoreError.check(stored, against: layouts, at: url, isReadOnly: isReadOnly)
      let missing = hierarchies.filter { hierarchy in !stored.contains { $0.name == hierarchy.root.entityName } }
      guard !missing.isEmpty else { return }
      try database.write { connection in
        var tables = try Bookkeeping.tables(on: connection, at: url)
        try StoreError.check(tables, against: layouts, at: url, isReadOnly: isReadOnly)
        let new = missing.map { TableDefinition($0) }.filter { one in !tables.contains { $0.name == one.name } }
        let clashes = StoreNames(tables + new).clashes
        guard clashes.isEmpty else { throw StoreError.notMigratable(url, clashes) }
        for definition in new {
          for statement in definition.creation { try connection.execute(statement) }
          tables.append(definition)
        }
        try Bookkeeping.setTables(tables.inOrder { $0.name < $1.name }, on: connection)
        try Bookkeeping.account(on: connection)
      }
      // A process that shows a model which it had no table for finds out now, and not at its next look.
      database.meeting?.tell()
    }
    add(layouts)
    for hierarchy in hierarchies { add(hierarchy) }
  }
}
