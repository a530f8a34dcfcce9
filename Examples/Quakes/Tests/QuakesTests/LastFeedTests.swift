import ExampleSupport
import LarderTesting
import SwiftData
import Testing

@testable import quakes

/// The file beside the store: what it says, and when it is none.
@Suite struct LastFeedTests {
  private let restarts: Restarts

  init() async throws { restarts = try await Restarts() }

  @Test func aRestartGoesOnWhereTheStoreLeftOff() async throws {
    let written = try Data(contentsOf: restarts.file)
    // Without the page, which reads the store when it begins.
    let container = try QuakeStore.open(at: restarts.store)
    let sync = SyncService(
      .larder, url: restarts.origin.url(Scene.feedPath), container: container, store: restarts.store,
      board: SyncBoard(lastSync: nil))
    let statements = StatementTrace.statements(at: restarts.store).count
    guard case .notModified(features: 2, []) = await sync.sync() else { throw Unexpected() }
    #expect(restarts.origin.requests.last?.headers["if-none-match"] == "\"1\"")
    #expect(StatementTrace.statements(at: restarts.store).dropFirst(statements) == [])
    #expect(try Data(contentsOf: restarts.file) == written)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 2)
    #expect(StatementTrace.statements(at: restarts.store).count > statements)
  }

  @Test(arguments: ["", "damaged", "{}", "null", #"{"validators":{},"stored":{},"features":2,"rejected":[]}"#])
  func aDamagedFileIsNone(content: String) async throws {
    try Data(content.utf8).write(to: restarts.file)
    try await restarts.expectFullFetch(SyncCounts(unchanged: 2))
  }

  @Test func aFileThatLostItsEndIsNone() async throws {
    try Data(contentsOf: restarts.file).dropLast(1).write(to: restarts.file)
    try await restarts.expectFullFetch(SyncCounts(unchanged: 2))
  }

  @Test func aMissingFileIsNone() async throws {
    try FileManager.default.removeItem(at: restarts.file)
    try await restarts.expectFullFetch(SyncCounts(unchanged: 2))
  }

  @Test func whatTheStoreRefusedIsAskedForAgain() async throws {
    let old = try Data(contentsOf: restarts.file)
    do {
      let container = try ModelContainer(
        for: Quake.self, configurations: ModelConfiguration(url: restarts.store, allowsSave: false))
      let board = SyncBoard(lastSync: nil)
      let sync = SyncService(
        .larder, url: restarts.origin.url(Scene.feedPath), container: container, store: restarts.store, board: board)
      Scene.serve([("a", 1.5), ("b", 2)], tag: "2", by: restarts.origin)
      // Of what an upsert left half done, no tag is known.
      for condition in ["\"1\"", nil] {
        guard case .notStored = await sync.sync() else { throw Unexpected() }
        #expect(restarts.origin.requests.last?.headers["if-none-match"] == condition)
        #expect(board.current.lastSync == nil)
        #expect(try Data(contentsOf: restarts.file) == old)
      }
    }
    try await restarts.running { scene in
      guard case .synced(SyncCounts(updated: 1, unchanged: 1), _, _) = await scene.sync.sync() else {
        throw Unexpected()
      }
      #expect(scene.lastCondition == "\"1\"")
      #expect(try Data(contentsOf: restarts.file) != old)
    }
  }

  /// Tags are of an address; another feed may have the same.
  @Test func anotherAddressIsAskedForAllOfIt() async throws {
    let container = try QuakeStore.open(at: restarts.store)
    Scene.serve([("c", 3)], tag: "1", by: restarts.origin, at: "/other")
    let sync = SyncService(
      .larder, url: restarts.origin.url("/other"), container: container, store: restarts.store,
      board: SyncBoard(lastSync: nil))
    guard case .synced(SyncCounts(inserted: 1), 1, _) = await sync.sync() else { throw Unexpected() }
    #expect(restarts.origin.requests.last?.headers["if-none-match"] == nil)
  }

  @Test func anotherReadingIsAskedForAllOfIt() async throws {
    let written = try String(contentsOf: restarts.file, encoding: .utf8)
    try written.replacing(QuakeFeedClient.reading, with: "FeedReading 0").write(
      to: restarts.file, atomically: true, encoding: .utf8)
    try await restarts.running { scene in
      guard case .synced(SyncCounts(unchanged: 2), 2, _) = await scene.sync.sync() else { throw Unexpected() }
      #expect(scene.lastCondition == nil)
    }
    let again = try String(contentsOf: restarts.file, encoding: .utf8)
    #expect(again.contains(QuakeFeedClient.reading))
  }

  /// A 304 may bring newer validators (RFC 9111, section 4.3.4).
  @Test func aNewerTagIsKept() async throws {
    restarts.origin.route(Scene.feedPath) { _ in
      .bytes(Data(), type: "application/json", status: 304, headers: ["ETag": "\"2\""])
    }
    for tag in ["\"1\"", "\"2\""] {
      try await restarts.running { scene in
        guard case .notModified(features: 2, []) = await scene.sync.sync() else { throw Unexpected() }
        #expect(scene.lastCondition == tag)
      }
    }
  }

  /// The printed service stores what no tag came with.
  @Test func theServiceAsPrintedTakesTheFileAway() async throws {
    try await restarts.running(.urlsession) { scene in
      guard case .synced(SyncCounts(unchanged: 2), 2, _) = await scene.sync.sync() else { throw Unexpected() }
    }
    #expect(!FileManager.default.fileExists(atPath: restarts.file.path))
    try await restarts.expectFullFetch(SyncCounts(unchanged: 2))
  }
}
