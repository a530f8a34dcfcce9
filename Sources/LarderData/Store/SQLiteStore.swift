package import Foundation
package import LarderSQLite
package import LarderSupport
package import Synchronization

/// A store in an SQLite database: its file, its metadata and the tables of the entities it was opened with.
///
/// Containers on the same file share one store; each context uses it through a ``StoreSession`` of its own.
// @unchecked: all properties are Sendable except the tables' statements, which the writer's lock guards.
package final class SQLiteStore: @unchecked Sendable {
  package let database: Database
  package let url: URL
  /// The file that errors name; `nil` for a store in memory.
  var errorURL: URL? { database.isInMemory ? nil : url }
  /// The store's own identifier, created with the store.
  package let identifier: String
  package let isReadOnly: Bool
  /// The data store whose rows are cached here, or `nil` if this is a plain SQLite store.
  let backend: (any StorageBackend)?
  /// Whether this is the store of a migration stage, in a database that another object owns.
  let isMigrationStage: Bool
  /// Whether that stage has ended, so that its contexts are unusable.
  package let isStageFinished = Atomic<Bool>(false)
  /// The uniqueness constraints without an index yet, by the table: in a stage that makes duplicate values unique.
  let missingUniqueIndexes: [String: Set<[String]>]
  /// Whether reads use the writer connection.
  let readsThroughWriter: Bool
  package let rowIDAllocator = RowIDAllocator()
  /// The observers that are notified of each commit: contexts, live queries, and others.
  package let observers = CommitObservers()
  /// The aliases of former row IDs of objects that a save resolved to a stored row.
  package let aliases: IdentifierAliases
  /// The monitor of other processes' commits; `nil` if there can be none.
  let externalCommits: ExternalCommitMonitor?
  /// The version of the schema that the store was opened with, if it has one: another process may migrate to a later one.
  let newestVersion: Schema.Version?
  /// Whether another process has migrated the store to another schema.
  let wasMigratedExternally = Atomic<Bool>(false)
  /// Whether the last poll of other processes' commits failed.
  let hasPollFailed = Atomic<Bool>(false)
  /// The objects that are to be notified at once of other processes' commits.
  let listeners = Locked<Set<ObjectIdentifier>>([])
  /// The monitor for fetches that scan large tables.
  package let scanMonitor = FullScanMonitor()
  /// A weak reference to this store.
  let weakHandle = WeakHandle<SQLiteStore>()

  /// The backup from before the last migration, which is deleted once the container is open, and its number.
  let previousCopy = Locked<(copy: MigrationBackup, number: Int64)?>(nil)

  /// The result of opening, until the container has taken it.
  let migrationReport = Locked(MigrationReport())

  /// The retention of the history: the longest that a container of this process requests.
  package let historyRetention = Locked<HistoryRetention?>(nil)
  /// Whether the store records a history; false only in benchmarks.
  let recordsHistory = Atomic<Bool>(true)

  /// The number of commits of this process.
  package let commitCount = Atomic<Int>(0)

  #if DEBUG
    let commitThreads = CommitThreads()
  #endif

  private let tableStatements = Locked<[Int: TableStatements]>([:])
  /// The layouts of the entities the store was opened with, by name: containers of a process may have different classes for one.
  private let layoutsByName = Locked<[String: [_ModelLayout]]>([:])
  /// Whether an entity has more than one class.
  let hasDuplicateEntityClasses = Atomic<Bool>(false)
  /// The hierarchies of more than one class, by each of their classes.
  private let hierarchies = Locked<[Int: ModelHierarchy]>([:])
  /// The identities of subclasses, retained because each holds the identity of the topmost class.
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

  /// Creates the store of a migration stage, in a database that the caller owns.
  ///
  /// - Parameter lacking: The uniqueness constraints without an index yet, by the table.
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

  /// Returns the classes that share an entity's table.
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
      // A data store assigns row IDs itself, maybe small ones: until then use others, which no row has.
      if backend != nil { throw DataStoreError.unsupportedFeature }
      return try database.write { try StoreMetadata.reserveIdentifiers(size, on: $0) }
    }
  }

  /// Releases unused row IDs, so that a program that opens a store often leaves no needless gaps.
  private func releaseIdentifiers() {
    guard !isReadOnly, !database.isInMemory, let unused = rowIDAllocator.unused else { return }
    // The release of a container must not wait for this. A failure costs row IDs, of which there are enough.
    try? database.tryWrite(within: .milliseconds(50)) { try StoreMetadata.releaseIdentifiers(unused, on: $0) }
  }
}
