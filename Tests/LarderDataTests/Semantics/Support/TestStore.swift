import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Synchronization
import TestSeeds
import Testing

/// Where a test's store lies. What a store means is the same in both, so each test of meanings runs in both.
enum StoreLocation: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case disk, memory

  /// Both; where SQLite stores are used by the requests of a `DataStore`, the one that the run's seed chooses. The requests are
  /// made above what is on disk or in memory.
  static let allCases: [StoreLocation] =
    StoreOptions().usesDataStores ? [Share.seed.isMultiple(of: 2) ? .memory : .disk] : [.disk, .memory]

  var testDescription: String { rawValue }
}

/// A container of a test's own, on disk or in memory; the files go with it.
final class TestStore {
  let place: StoreLocation
  let folder = TestFolder()
  let container: ModelContainer

  convenience init(_ place: StoreLocation, _ models: any PersistentModel.Type...) throws {
    try self.init(place, models)
  }

  init(_ place: StoreLocation, _ models: [any PersistentModel.Type]) throws {
    self.place = place
    container = try TestStore.open(place, folder.url("test.store"), models)
  }

  /// A container that is open already, whose rows are in memory.
  init(_ container: ModelContainer) {
    place = .memory
    self.container = container
  }

  static func open(
    _ place: StoreLocation, _ url: URL, _ models: [any PersistentModel.Type], allowsSave: Bool = true
  ) throws -> ModelContainer {
    let configuration =
      place == .disk
      ? ModelConfiguration(url: url, allowsSave: allowsSave)
      : ModelConfiguration(isStoredInMemoryOnly: true, allowsSave: allowsSave)
    return try ModelContainer(for: Schema(models), configurations: configuration)
  }

  var url: URL { folder.url("test.store") }

  /// A container that has the file open as another process would, with connections of its own; in memory the same one.
  func asAnotherProcess() throws -> ModelContainer {
    if place == .memory { return container }
    var options = StoreOptions()
    // Stores that name their file system are not shared in the process.
    options.vfs = "unix"
    return try StoreOptions.$current.withValue(options) {
      try ModelContainer(for: container.schema, configurations: ModelConfiguration(url: url))
    }
  }

  func context() -> ModelContext { ModelContext(container) }

  /// A context that has inserted and saved the models.
  func saved(_ models: [any PersistentModel]) throws -> ModelContext {
    let context = context()
    for model in models { context.insert(model) }
    try context.save()
    return context
  }

  /// What a query that is not ours finds, row by row.
  func rows(_ sql: String) throws -> [[_StoredValue]] {
    try container.store.database.read { try Self.rows(sql, on: $0) }
  }

  /// The first value that a query finds.
  func value(_ sql: String) throws -> _StoredValue? { try rows(sql).first?.first }

  /// Writes past the contexts, as another program would.
  func execute(_ sql: String) throws {
    try container.store.database.withWriter { try $0.execute(sql) }
    // What another program commits is seen by the next read of everybody.
    container.store.commitCount.add(1, ordering: .releasing)
  }

  /// What the store's writing connection did meanwhile.
  func writing(_ body: () throws -> Void) throws -> (status: ConnectionStatus, rowChanges: Int64) {
    func read() throws -> (ConnectionStatus, Int64) {
      try container.store.database.withWriter { ($0.status(), $0.totalChanges) }
    }
    let before = try read()
    try body()
    let after = try read()
    return (after.0 - before.0, after.1 - before.1)
  }

  static func rows(_ sql: String, on connection: Connection) throws -> [[_StoredValue]] {
    try connection.withStatement(for: sql) { statement in
      defer { statement.reset() }
      var rows: [[_StoredValue]] = []
      while try statement.step() {
        rows.append(
          (0..<statement.columnCount).map { column in
            switch statement.type(column) {
            case .integer: .integer(statement.int64(column))
            case .real: .real(statement.double(column))
            case .text: .text(statement.string(column))
            case .blob: .blob(statement.blob(column))
            case .null: .null
            }
          })
      }
      return rows
    }
  }
}

/// A folder of a test's own, removed with everything in it.
final class TestFolder {
  let url: URL

  init() {
    url = FileManager.default.temporaryDirectory
      .appending(path: "larder-semantics-\(UUID().uuidString)", directoryHint: .isDirectory)
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func url(_ name: String) -> URL { url.appending(path: name, directoryHint: .notDirectory) }

  func bytes(_ name: String = "test.store") -> Data? {
    // Foundation loses its buffer where a file is empty.
    let size = try? FileManager.default.attributesOfItem(atPath: url(name).path)[.size] as? Int
    return size == 0 ? Data() : try? Data(contentsOf: url(name))
  }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
  }

  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: url(name).path)
    return try #require(attributes[.posixPermissions] as? NSNumber).intValue & 0o777
  }
}

extension ModelContext {
  /// What the context's reading connection did meanwhile. The lease stays one for so long: those that run out on a busy
  /// machine would end a transaction and begin another.
  func reading(_ body: () throws -> Void) throws -> ConnectionStatus {
    try core.sessions[0].read { connection in
      let before = connection.status()
      try body()
      return connection.status() - before
    }
  }
}

extension ModelContext {
  func all<Model: PersistentModel>(_ type: Model.Type) throws -> [Model] { try fetch(FetchDescriptor<Model>()) }
}
