import Foundation
import LarderData
import LarderSQLite
import SwiftData

@Model
final class Harbour {
  #Index<Harbour>([\.country])
  @Attribute(.unique) var name: String
  var country: String?
  var tags: [String] = []
  @Relationship(inverse: \Ship.port) var ships: [Ship] = []
  @Relationship(inverse: \Pilot.harbours) var pilots: [Pilot] = []

  init(_ name: String, country: String? = nil) {
    self.name = name
    self.country = country
  }
}

@Model
final class Ship {
  #Index<Ship>([\.flag], [\.tonnage])
  var name: String
  var flag: String
  var tonnage: Int
  var notes: String
  var port: Harbour?

  init(_ name: String, flag: String = "", tonnage: Int = 0, port: Harbour? = nil) {
    self.name = name
    self.flag = flag
    self.tonnage = tonnage
    notes = ""
    self.port = port
  }
}

@Model
final class Pilot {
  var name: String
  var harbours: [Harbour] = []

  init(_ name: String) { self.name = name }
}

enum Storage: String, CaseIterable, Sendable {
  case disk, memory
}

/// A store that goes with the test.
final class Docks {
  let container: ModelContainer
  private let configuration: ModelConfiguration
  private let folder: URL?

  init(_ storage: Storage = .disk, settings: DatabaseSettings = DatabaseSettings()) throws {
    let configuration: ModelConfiguration
    switch storage {
    case .disk:
      let folder = FileManager.default.temporaryDirectory.appending(path: "larder-live-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      self.folder = folder
      configuration = ModelConfiguration(url: folder.appending(path: "docks.store"))
    case .memory:
      folder = nil
      configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    }
    self.configuration = configuration
    var options = StoreOptions()
    options.settings = settings
    container = try StoreOptions.$current.withValue(options) {
      try ModelContainer(for: Harbour.self, Ship.self, Pilot.self, configurations: configuration)
    }
  }

  /// A container that has the file open as another process would: by a store of its own, with its own connections. Of
  /// what is saved in one of the two the other knows from the file alone.
  func asAnotherProcess() throws -> ModelContainer {
    var options = StoreOptions()
    // Stores that name their file system are not shared.
    options.vfs = "unix"
    return try StoreOptions.$current.withValue(options) {
      try ModelContainer(for: Harbour.self, Ship.self, Pilot.self, configurations: configuration)
    }
  }

  deinit { if let folder { try? FileManager.default.removeItem(at: folder) } }

  var isOnDisk: Bool { folder != nil }
  var watches: QueryObservations { container.store.queryObservations }

  func execute(_ sql: String) throws { try container.store.database.withWriter { try $0.execute(sql) } }

  /// Waits until the runner has done what it was given so far.
  func runnerIsDone(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation { done in LiveQueryExecutor.shared(for: container.core).run { _ in done.resume() } }
  }

  /// What somebody else does, in a context of his own.
  func elsewhere(_ work: (ModelContext) throws -> Void) throws {
    let context = ModelContext(container)
    try work(context)
    try context.save()
  }
}

func ships(
  _ predicate: Predicate<Ship>? = nil,
  sortBy: [SortDescriptor<Ship>] = [SortDescriptor(\Ship.name, comparator: .lexical)]
) -> FetchDescriptor<Ship> { FetchDescriptor(predicate: predicate, sortBy: sortBy) }
