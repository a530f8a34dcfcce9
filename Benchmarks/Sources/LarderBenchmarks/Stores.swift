import CLimits
import SwiftData

/// Makes the stores of both sides, each new, in a folder that is removed at the end.
final class Stores {
  private let folder: URL
  private let template: URL
  private let relationTemplate: URL
  private var made = 0
  let settings: BenchmarkOptions

  init(folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // SQLite names a file by its resolved path.
    self.folder = folder.resolvingSymlinksInPath()
    template = self.folder.appending(path: "template.store")
    relationTemplate = self.folder.appending(path: "relations.store")
    settings = try Self.librarySettings(self.folder.appending(path: "settings.store"))
    // The stores that the limit copies: the library's, with its schema and no row.
    _ = try Self.container(template)
    _ = try Self.relationContainer(relationTemplate)
  }

  /// Removes the stores of both sides that are made and done with.
  func clear() throws {
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    where file.lastPathComponent.hasPrefix("ours-") || file.lastPathComponent.hasPrefix("limit-") {
      do { try FileManager.default.removeItem(at: file) } catch CocoaError.fileNoSuchFile {
        // A log goes with the last connection, which a queue may have held until just now.
      }
    }
  }

  func remove() throws { try FileManager.default.removeItem(at: folder) }

  func file(_ name: String) -> URL { folder.appending(path: name) }

  func container() throws -> ModelContainer { try Self.container(next("ours")) }

  func limit(_ columns: Columns) throws -> Limit {
    try Limit(copyOf: template, at: next("limit"), columns: columns, settings: settings)
  }

  func sortedContainer() throws -> ModelContainer {
    try ModelContainer(for: SortedQuake.self, configurations: ModelConfiguration(url: next("ours")))
  }

  func relationContainer() throws -> ModelContainer { try Self.relationContainer(next("ours")) }

  func relationLimit() throws -> RelationLimit {
    try RelationLimit(copyOf: relationTemplate, at: next("limit"), settings: settings)
  }

  private func next(_ side: String) -> URL {
    made += 1
    return folder.appending(path: "\(side)-\(made).store")
  }

  private static func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: Quake.self, LocatedQuake.self, configurations: ModelConfiguration(url: url))
  }

  /// By themselves, so that the stores of the flat rows are what they were.
  private static func relationContainer(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: Region.self, Tremor.self, configurations: ModelConfiguration(url: url))
  }

  /// What the library runs with, read from its own connections while it has them open.
  private static func librarySettings(_ url: URL) throws -> BenchmarkOptions {
    let container = try container(url)
    let context = ModelContext(container)
    context.insert(Quake(code: "a", magnitude: 1, time: .distantPast, place: "", longitude: 0, latitude: 0))
    try context.save()
    _ = try ModelContext(container).fetch(FetchDescriptor<Quake>())
    return try BenchmarkOptions(libraryConnectionsTo: url)
  }
}
