import ExampleSupport
import LarderTesting
import SwiftData
import Testing

@testable import quakes

/// A program that runs again and again, on one store and one origin.
struct Restarts {
  static let feed: [(code: String, magnitude: Double)] = [("a", 1), ("b", 2)]

  let folder: TemporaryFolder
  let origin: LoopbackServer
  let store: URL
  let file: URL

  /// A store that has the feed, of which the file says so. The program has ended.
  init() async throws {
    folder = try TemporaryFolder()
    origin = try LoopbackServer()
    store = folder.url.appending(path: "quakes.store")
    file = LastFeed(besideStoreAt: store).file
    StatementTrace.begin()
    try await running { scene in
      scene.serve(Self.feed, tag: "1")
      guard case .synced(SyncCounts(inserted: 2), 2, _) = await scene.sync.sync() else { throw Unexpected() }
    }
  }

  /// Runs the program from its start until its store is closed.
  func running(
    _ route: FeedRoute = .larder, in folder: TemporaryFolder? = nil, _ body: (Scene) async throws -> Void
  ) async throws {
    let folder = folder ?? self.folder
    do {
      try await body(try Scene(in: folder, route: route, origin: origin))
    }
    try await waitUntilClosed(folder.url)
  }

  /// The follower's task ends when it likes, and closes the store. A file must not be replaced before that.
  func waitUntilClosed(_ folder: URL) async throws {
    func isOpen() throws -> Bool {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains { number in
        // One that was closed meanwhile leads nowhere.
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)
        return path?.contains("/\(folder.lastPathComponent)/") == true
      }
    }
    let end = ContinuousClock.now + .seconds(60)
    while try isOpen(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(2)) }
    try #require(try !isOpen())
  }

  /// Starts the program, which must ask for all of the feed, and then must be where it was.
  func expectFullFetch(
    _ counts: SyncCounts, storing feed: [String: Double] = ["a": 1, "b": 2],
    location: SourceLocation = #_sourceLocation
  ) async throws {
    try await running { scene in
      #expect(!FileManager.default.fileExists(atPath: file.path), sourceLocation: location)
      let report = await scene.sync.sync()
      guard case .synced(counts, _, _) = report else {
        Issue.record("The report is \(report)", sourceLocation: location)
        return
      }
      #expect(scene.lastCondition == nil, sourceLocation: location)
      #expect(try scene.stored() == feed, sourceLocation: location)
      guard case .notModified = await scene.sync.sync() else { throw Unexpected() }
      #expect(LastFeed(besideStoreAt: store).read(for: scene.container) != nil, sourceLocation: location)
    }
  }

  /// Puts another store in the place of this one.
  func move(from other: URL) throws {
    for end in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: store.path + end)
      try? FileManager.default.moveItem(atPath: other.path + end, toPath: store.path + end)
    }
  }
}
