import SwiftData

/// Where the earthquakes are kept.
enum QuakeStore {
  /// Opens the store at a path, making it and its folder if there is none.
  static func open(at url: URL) throws -> ModelContainer {
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    return try ModelContainer(for: Quake.self, configurations: ModelConfiguration(url: url))
  }
}
