import SwiftData

/// Where the trips are kept.
enum TripStore: Hashable, Sendable {
  /// Nowhere but in this container: for tests, which leave nothing behind.
  case memory
  /// A file, which may be open in several processes at once.
  case disk(URL)

  /// Opens it, making a file and its folder if there is none.
  func open() throws -> ModelContainer {
    switch self {
    case .memory:
      return try ModelContainer(for: TripEntity.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    case .disk(let url):
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      return try ModelContainer(for: TripEntity.self, configurations: ModelConfiguration(url: url))
    }
  }
}
