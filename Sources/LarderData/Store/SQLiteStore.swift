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
  let isOfStage: Bool
  /// Whether that stage is over, and its contexts are of no use any more.
  package let isOver = Atomic<Bool>(false)
  /// What is to be unique and has no index yet, by the tables: in a stage that makes values differ.
  let lacking: [String: Set<[String]>]
  /// Whether reads use the connection that writes.
  let readsThroughWriter: Bool
  package let identifiers = RowIdentifiers()
  /// The objects that learn of each commit: contexts, live queries, and others.
  package let observers = CommitObservers()
  /// Old row identifiers of objects that a save united with a stored row, and that row's.
  package let aliases: IdentifierAliases
  /// What other processes commit; nil where there can be none.
  let others: OthersCommits?
  /// The version of the models that it was opened with, where they have a number: another process may bring it to a later one.
  let newestVersion: Schema.Version?
  /// Whether another process has migrated the store to other models.
  let isOutgrown = Atomic<Bool>(false)
  /// Whether the last look for that failed.
  let isUnreadable = Atomic<Bool>(false)
  /// Those who are to be told of that at once.
  let listeners = Locked<Set<ObjectIdentifier>>([])
  /// Notices fetches that read large tables from end to end.
  package let scans = ScanWatch()
  /// What leads to it from where it is not held.
  let tether = Tether<SQLiteStore>()

  /// The copy of what the store was before its last migration, which goes once its container is open, and its number.
  let formerCopy = Locked<(copy: FormerCopy, number: Int64)?>(nil)

  /// What opening it has done, until the container that it was opened for has taken that.
  let opening = Locked(MigrationReport())

  /// How much of its history it keeps: the most that a container of this process asks for.
  package let historyRetention = Locked<HistoryRetention?>(nil)
  /// Whether it keeps one; always, but where that is measured.
  let recordsHistory = Atomic<Bool>(true)

  /// Raised by each commit of this process.
  package let commits = Atomic<Int>(0)

  #if DEBUG
    let committers = Committers()
  #endif

  private let tables = Locked<[Int: TableStatements]>([:])
  /// The models that it was opened with, by their names: containers of a process may have classes of their own for one.
  private let models = Locked<[String: [ModelLayout]]>([:])
  /// Whether there is a model of which they have.
  let hasRivalClasses = Atomic<Bool>(false)
  /// The hierarchies of more than one class, by each of their classes.
  private let hierarchies = Locked<[Int: ModelHierarchy]>([:])
  /// What they are told apart by, held because it knows the topmost class.
  private let subclasses = Locked<[Int: EntityIdentity]>([:])

  init(
    database: Database, url: URL, identifier: String, isReadOnly: Bool, isOfStage: Bool = false,
    lacking: [String: Set<[String]>] = [:], backend: (any StorageBackend)? = nil, newestVersion: Schema.Version? = nil
  ) {
    self.newestVersion = newestVersion
    self.backend = backend
    self.lacking = lacking
    self.isOfStage = isOfStage
    readsThroughWriter = isOfStage || database.isInMemory
    others = readsThroughWriter ? nil : OthersCommits()
    self.database = database
    self.url = url
    self.identifier = identifier
    self.isReadOnly = isReadOnly
    aliases = IdentifierAliases { [tether] in tether.object?.hasRow($0) ?? false }
    tether.tie(to: self)
  }

  /// The store of one stage of a migration, in a database that is somebody else's.
  ///
  /// - Parameter lacking: What is to be unique and has no index yet, by the tables.
  package convenience init(
    ofStageIn database: Database, url: URL, identifier: String, isReadOnly: Bool, lacking: [String: Set<[String]>] = [:]
  ) {
    self.init(
      database: database, url: url, identifier: identifier, isReadOnly: isReadOnly, isOfStage: true, lacking: lacking)
  }

  deinit {
    tether.cut()
    if isOfStage { return }
    database.meeting?.endListening()
    giveBackIdentifiers()
    database.close()
  }

  package func statements(for layout: ModelLayout) -> TableStatements {
    tables.withLock { tables in
      if let known = tables[layout.id] { return known }
      let made = TableStatements(layout, hierarchy(of: layout), lacking: lacking[layout.tableName] ?? [])
      tables[layout.id] = made
      return made
    }
  }

  /// The classes that share a model's table.
  package func hierarchy(of layout: ModelLayout) -> ModelHierarchy {
    hierarchies.withLock { $0[layout.id] } ?? ModelHierarchy([layout])
  }

  func layouts(named name: String) -> [ModelLayout] { models.withLock { $0[name] ?? [] } }

  var knownLayouts: [ModelLayout] {
    models.withLock { models in models.values.flatMap { $0 }.inOrder { $0.id < $1.id } }
  }

  func add(_ layouts: [ModelLayout]) {
    models.withLock { models in
      for layout in layouts where !models[layout.entityName, default: []].contains(where: { $0 === layout }) {
        models[layout.entityName, default: []].append(layout)
        if models[layout.entityName]?.count == 2 { hasRivalClasses.store(true, ordering: .releasing) }
      }
    }
  }

  package func add(_ hierarchy: ModelHierarchy) {
    guard hierarchy.hasClasses else { return }
    for member in hierarchy.members {
      hierarchies.withLock { $0[member.id] = hierarchy }
      let root = hierarchy.root
      if member !== root {
        let identity = EntityIdentity.relate(member.entityName, to: root.entityName, store: identifier)
        subclasses.withLock { $0[member.id] = identity }
      }
    }
  }

  package func nextIdentifier() -> Int64 {
    if let given = backend?.nextIdentifier() { return given }
    return identifiers.next { size in
      // A store names its rows itself, maybe by small numbers: until then others, which none has.
      if backend != nil { throw DataStoreError.unsupportedFeature }
      return try database.write { try Bookkeeping.reserveIdentifiers(size, on: $0) }
    }
  }

  /// So that a program that opens a store often leaves no gaps that need not be.
  private func giveBackIdentifiers() {
    guard !isReadOnly, !database.isInMemory, let unused = identifiers.unused else { return }
    // Whoever lets a container go does not wait for that. What fails here costs numbers, of which there are enough.
    try? database.writeSoon(within: .milliseconds(50)) { try Bookkeeping.giveBack(unused, on: $0) }
  }
}
