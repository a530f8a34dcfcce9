import Foundation
import LarderData
import LarderSQLite
import SwiftData

@Model
final class Depot {
  @Attribute(.unique) var name: String
  var city: String
  @Relationship(deleteRule: .cascade, inverse: \Crate.depot) var crates: [Crate] = []

  init(_ name: String, city: String = "") {
    self.name = name
    self.city = city
  }
}

@Model
final class Crate {
  #Index<Crate>([\.label])
  var label: String
  var weight: Int
  var depot: Depot?

  init(_ label: String, weight: Int = 0, depot: Depot? = nil) {
    self.label = label
    self.weight = weight
    self.depot = depot
  }
}

/// A model that one of two programs knows.
@Model
final class Note {
  var text: String
  init(_ text: String) { self.text = text }
}

/// A file that is opened several times, each time as another process would: by a store of its own, with its own
/// connections. Of what is saved through one of them the others know from the file alone.
final class SharedStore {
  let url: URL
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "larder-shared-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appending(path: "shared.store")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// What lies in the folder.
  var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  var signal: URL { folder.appending(path: "shared.store" + CrossProcessSignal.suffix) }

  func open(
    _ models: [any PersistentModel.Type] = [Depot.self, Crate.self], allowsSave: Bool = true,
    settings: DatabaseSettings = DatabaseSettings()
  ) throws -> ModelContainer {
    try open(Schema(models), allowsSave: allowsSave, settings: settings)
  }

  func open(
    _ schema: Schema, plan: (any SchemaMigrationPlan.Type)? = nil, allowsSave: Bool = true,
    settings: DatabaseSettings = DatabaseSettings()
  ) throws -> ModelContainer {
    var options = StoreOptions()
    // Stores that name their file system are not shared in the process.
    options.vfs = "unix"
    options.settings = settings
    return try StoreOptions.$current.withValue(options) {
      try ModelContainer(
        for: schema, migrationPlan: plan, configurations: ModelConfiguration(url: url, allowsSave: allowsSave))
    }
  }
}

extension ModelContainer {
  var meeting: CrossProcessSignal? { store.database.signal }

  /// What is done in a context of its own, and saved.
  func work(_ work: (ModelContext) throws -> Void) throws {
    let context = ModelContext(self)
    context.autosaveEnabled = false
    try work(context)
    try context.save()
  }
}

extension ModelContext {
  /// Lets go of what it reads, as it does by itself after a while: the next fetch is of that moment.
  func endLease() { for session in core.sessions { session.releaseSnapshot() } }

  /// One that saves when it is told to.
  static func plain(_ container: ModelContainer) -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  func crates() throws -> [Crate] {
    try fetch(FetchDescriptor(sortBy: [SortDescriptor(\Crate.label, comparator: .lexical)]))
  }
}
