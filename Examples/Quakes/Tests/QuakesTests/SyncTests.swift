import ExampleSupport
import LarderTesting
import SwiftData
import Synchronization
import Testing

@testable import quakes

@Suite struct SyncTests {
  /// What `didSave` told about one container.
  private final class Saves: Sendable {
    let identifiers = Mutex<[Int]>([])
    // Set once in the initializer, as its closure needs self, and handed back at the end.
    nonisolated(unsafe) private var observation: (any NSObjectProtocol)?

    init(of container: ModelContainer) {
      observation = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: nil, queue: nil) {
        [weak self, weak container] notification in
        guard let container, (notification.object as? ModelContext)?.container === container else { return }
        let keys: [ModelContext.NotificationKey] = [.insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers]
        let count = keys.reduce(0) { sum, key in
          sum + ((notification.userInfo?[key.rawValue] as? [PersistentIdentifier])?.count ?? 0)
        }
        self?.identifiers.withLock { $0.append(count) }
      }
    }

    deinit {
      if let observation { NotificationCenter.default.removeObserver(observation) }
    }

    /// How many saves named an identifier.
    var withIdentifiers: Int { identifiers.withLock { $0.filter { $0 > 0 }.count } }
  }

  private func counts(_ scene: Scene) async throws -> SyncCounts {
    try await scene.begin()
    let report = await scene.sync.sync()
    guard case .synced(let counts, _, _) = report else {
      Issue.record("The report is \(report)")
      return SyncCounts()
    }
    return counts
  }

  @Test func insertsUpdatesAndLeavesAlone() async throws {
    let scene = try Scene()
    scene.serve([("a", 1), ("b", 2)])
    #expect(try await counts(scene) == SyncCounts(inserted: 2))
    try await scene.expectEvents(2)
    scene.serve([("a", 1), ("b", 2.5), ("c", 3)])
    #expect(try await counts(scene) == SyncCounts(inserted: 1, updated: 1, unchanged: 1))
    #expect(try scene.stored() == ["a": 1, "b": 2.5, "c": 3])
    try await scene.expectEvents(3)  // Two changes, and the origin's first answer.
  }

  @Test func whatLeavesTheFeedStaysInTheStore() async throws {
    let scene = try Scene()
    scene.serve([("old", 1), ("both", 2)])
    _ = try await counts(scene)
    scene.serve([("both", 2), ("new", 3)])
    #expect(try await counts(scene) == SyncCounts(inserted: 1, unchanged: 1))
    #expect(try scene.stored().keys.sorted() == ["both", "new", "old"])
  }

  @Test func aCodeTwiceInOneFeedIsOneRowWithTheLaterValues() async throws {
    let scene = try Scene()
    scene.serve([("twice", 1), ("once", 2), ("twice", 3)])
    let counts = try await counts(scene)
    #expect(counts.inserted == 2)
    #expect(try scene.stored() == ["twice": 3, "once": 2])
  }

  @Test func anUnchangedRoundWritesNothingAndTellsNobody() async throws {
    let scene = try Scene()
    let feed = try ReplayedWeek.bundled()
    scene.serve(.bytes(feed.feed(at: feed.beginning), type: "application/json"))
    _ = try await counts(scene)
    try await scene.expectEvents(2)
    let saves = Saves(of: scene.container)
    let before = try scene.bytes()
    let woken = Mutex(false)
    let watched = ModelContext(scene.container)
    let quake = try #require(try watched.fetch(FetchDescriptor<Quake>()).first)
    withObservationTracking {
      _ = (quake.magnitude, quake.time, quake.location.name, quake.code)
    } onChange: {
      woken.withLock { $0 = true }
    }

    let second = try await counts(scene)
    #expect(second.inserted == 0 && second.updated == 0 && second.unchanged > 1000)
    #expect(try scene.bytes() == before)
    #expect(saves.withIdentifiers == 0)
    try await scene.expectEvents(2)
    #expect(!woken.withLock { $0 })

    // The same watchers do see a round that changes something.
    scene.serve(.bytes(feed.feed(at: feed.end), type: "application/json"))
    _ = try await counts(scene)
    #expect(try scene.bytes() != before)
    #expect(saves.withIdentifiers == 1)
    try await scene.expectEvents(3)
  }

  @Test func theServiceAsPrintedFetchesAndDecodes() async throws {
    let scene = try Scene()
    scene.serve([("a", 1), ("b", 2)])
    let service = QuakeNetworkService(url: scene.origin.url(Scene.feedPath))
    let features = try await service.fetchQuakes().features
    #expect(features.map(\.properties.code) == ["a", "b"])
    scene.serve(.text("gone", status: 404))
    await #expect(throws: NetworkError.invalidResponse) { try await service.fetchQuakes() }
  }

  @Test func theTimeOfTheLastSyncLiesBesideTheStore() throws {
    let folder = try TemporaryFolder()
    let file = LastSync(besideStoreAt: folder.url.appending(path: "a.store"))
    #expect(file.read() == nil)
    let date = Date(timeIntervalSince1970: 1_700_000_000.5)
    try file.write(date)
    #expect(file.read() == date)
    try Data("damaged".utf8).write(to: file.file)
    #expect(file.read() == nil)
  }
}
