package import Foundation
package import LarderSQLite
package import LarderSupport
package import Synchronization

/// A store in an SQLite database: its file, its bookkeeping and the tables of the models it was opened with.
///
/// Containers on the same file share one; contexts reach it through a ``StoreSession`` each.
// @unchecked: everything is Sendable but the tables' statements, which are behind the writer's lock.
package final class SQLiteStore: @unchecked Sendable {
  package let database: Database
  package let url: URL
  /// The file that errors name; nil where there is none.
  var errorURL: URL? { database.isInMemory ? nil : url }
  /// The store's own identity, made when it was.
  package let identifier: String
  package let isReadOnly: Bool
  /// The data store whose rows these are, where they are not the store themselves.
  let backend: (any StorageBackend)?
  /// Whether it is the store of one stage of a migration, and the database somebody else's.
  let isMigrationStage: Bool
  /// Whether that stage is over, and its contexts are of no use any more.
  package let isStageFinished = Atomic<Bool>(false)
  /// What is to be unique and has no index yet, by the tables: in a stage that makes values differ.
  let missingUniqueIndexes: [String: Set<[String]>]
  /// Whether reads use the connection that writes.
  let readsThroughWriter: Bool
  package let rowIDAllocator = RowIDAllocator()
  /// The objects that learn of each commit: contexts, live queries, and others.
  package let observers = CommitObservers()
  /// Old row identifiers of objects that a save united with a stored row, and that row's.
  package let aliases: IdentifierAliases
  /// What other processes commit; nil where there can be none.
  let externalCommits: ExternalCommitMonitor?
  /// The version of the models that it was opened with, where they have a number: another process may bring it to a later one.
  let newestVersion: Schema.Version?
  /// Whether another process has migrated the store to other models.
  let wasMigratedExternally = Atomic<Bool>(false)
  /// Whether the last look for that failed.
  let hasPollFailed = Atomic<Bool>(false)
  /// Those who are to be told of that at once.
  let listeners = Locked<Set<ObjectIdentifier>>([])
  /// Notices fetches that read large tables from end to end.
  package let scanMonitor = FullScanMonitor()
  /// What leads to it from where it is not held.
  let weakHandle = WeakHandle<SQLiteStore>()

  /// The copy of what the store was before its last migration, which goes once its container is open, and its number.
  let previousCopy = Locked<(copy: MigrationBackup, number: Int64)?>(nil)

  /// What opening it has done, until the container that it was opened for has taken that.
  let migrationReport = Locked(MigrationReport())

  /// How much of its history it keeps: the most that a container of this process asks for.
  package let historyRetention = Locked<HistoryRetention?>(nil)
  /// Whether it keeps one; always, but where that is measured.
  let recordsHistory = Atomic<Bool>(true)

  /// Raised by each commit of this process.
  package let commitCount = Atomic<Int>(0)

  #if DEBUG
    let commitThreads = CommitThreads()
  #endif

  private let tableStatements = Locked<[Int: TableStatements]>([:])
  /// The models that it was opened with, by their names: containers of a process may have classes of their own for one.
  private let layoutsByName = Locked<[String: [_ModelLayout]]>([:])
  /// Whether there is a model of which they have.
  let hasDuplicateEntityClasses = Atomic<Bool>(false)
  /// The hierarchies of more than one class, by each of their classes.
  private let hierarchies = Locked<[Int: ModelHierarchy]>([:])
  /// What they are told apart by, held because it knows the topmost class.
  private let subclassIdentities = Locked<[Int: EntityIdentity]>([:])

  init(
    database: Database, url: URL, identifier: String, isReadOnly: Bool, isMigrationStage isOfStage: Bool = false,
    missingUniqueIndexes lacking: [String: Set<[String]>] = [:], backend: (any StorageBackend)? = nil,
    newestVersion: Schema.Version? = nil
  ) {
    self.newestVersion = newestVersion
    self.backend = backend
    self.missingUniqueIndexes = lacking
    self.isMigrationStage = isOfStage
    readsThroughWriter = isOfStage || database.isInMemory
    externalCommits = readsThroughWriter ? nil : ExternalCommitMonitor()
    self.database = database
    self.url = url
    self.identifier = identifier
    self.isReadOnly = isReadOnly
    aliases = IdentifierAliases { [weakHandle] in weakHandle.object?.hasRow($0) ?? false }
    weakHandle.attach(to: self)
  }

  /// The store of one stage of a migration, in a database that is somebody else's.
  ///
  /// - Parameter lacking: What is to be unique and has no index yet, by the tables.
  package convenience init(
    migrationStageIn database: Database, url: URL, identifier: String, isReadOnly: Bool,
    missingUniqueIndexes lacking: [String: Set<[String]>] = [:]
  ) {
    self.init(
      database: database, url: url, identifier: identifier, isReadOnly: isReadOnly, isMigrationStage: true,
      missingUniqueIndexes: lacking)
  }

  deinit {
    weakHandle.invalidate()
    if isMigrationStage { return }
    database.signal?.endListening()
    releaseIdentifiers()
    database.close()
  }

  package func statements(for layout: _ModelLayout) -> TableStatements {
    tableStatements.withLock { tables in
      if let known = tables[layout.id] { return known }
      let made = TableStatements(
        layout, hierarchy(of: layout), missingUniqueIndexes: missingUniqueIndexes[layout.tableName] ?? [])
      tables[layout.id] = made
      return made
    }
  }

  /// The classes that share a model's table.
  package func hierarchy(of layout: _ModelLayout) -> ModelHierarchy {
    hierarchies.withLock { $0[layout.id] } ?? ModelHierarchy([layout])
  }

  func layouts(named name: String) -> [_ModelLayout] { layoutsByName.withLock { $0[name] ?? [] } }

  var registeredLayouts: [_ModelLayout] {
    layoutsByName.withLock { models in models.values.flatMap { $0 }.inOrder { $0.id < $1.id } }
  }

  func register(_ layouts: [_ModelLayout]) {
    layoutsByName.withLock { models in
      for layout in layouts where !models[layout.entityName, default: []].contains(where: { $0 === layout }) {
        models[layout.entityName, default: []].append(layout)
        if models[layout.entityName]?.count == 2 { hasDuplicateEntityClasses.store(true, ordering: .releasing) }
      }
    }
  }

  package func register(_ hierarchy: ModelHierarchy) {
    guard hierarchy.hasSubclasses else { return }
    for member in hierarchy.members {
      hierarchies.withLock { $0[member.id] = hierarchy }
      let root = hierarchy.root
      if member !== root {
        let identity = EntityIdentity.registerSubentity(member.entityName, of: root.entityName, store: identifier)
        subclassIdentities.withLock { $0[member.id] = identity }
      }
    }
  }

  package func nextIdentifier() -> Int64 {
    if let given = backend?.nextIdentifier() { return given }
    return rowIDAllocator.allocate { size in
      // A store names its rows itself, maybe by small numbers: until then others, which none has.
      if backend != nil { throw DataStoreError.unsupportedFeature }
      return try database.write { try StoreMetadata.reserveIdentifiers(size, on: $0) }
    }
  }

  /// So that a program that opens a store often leaves no gaps that need not be.
  private func releaseIdentifiers() {
    guard !isReadOnly, !database.isInMemory, let unused = rowIDAllocator.unused else { return }
    // Whoever lets a container go does not wait for that. What fails here costs numbers, of which there are enough.
    try? database.tryWrite(within: .milliseconds(50)) { try StoreMetadata.releaseIdentifiers(unused, on: $0) }
  }
}
