import ExampleSupport
import LarderTesting
import SwiftData
import Testing

@testable import quakes

/// A store that is not what the file beside it was written for: all of the feed is fetched.
@Suite struct OtherStoreTests {
  private let restarts: Restarts

  init() async throws { restarts = try await Restarts() }

  @Test func aDeletedStoreIsFilledAnew() async throws {
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: restarts.store.path + end) }
    try await restarts.expectFullFetch(SyncCounts(inserted: 2))
  }

  @Test func anErasedStoreIsFilledAnew() async throws {
    try QuakeStore.open(at: restarts.store).erase()
    try await restarts.waitUntilClosed(restarts.folder.url)
    try await restarts.expectFullFetch(SyncCounts(inserted: 2))
  }

  @Test func aRowThatSomebodyDeletedComesBack() async throws {
    do {
      let context = ModelContext(try QuakeStore.open(at: restarts.store))
      try context.delete(model: Quake.self, where: #Predicate { $0.code == "a" })
      try context.save()
    }
    try await restarts.waitUntilClosed(restarts.folder.url)
    try await restarts.expectFullFetch(SyncCounts(inserted: 1, unchanged: 1))
  }

  /// Another store at the same place, with as many saves behind it.
  @Test func anotherStoreInItsPlaceIsAnother() async throws {
    let elsewhere = try TemporaryFolder()
    try await restarts.running(in: elsewhere) { other in
      other.serve([("a", 7), ("z", 8)], tag: "1")
      guard case .synced(SyncCounts(inserted: 2), 2, _) = await other.sync.sync() else { throw Unexpected() }
      other.serve(Restarts.feed, tag: "1")
    }
    try restarts.move(from: elsewhere.url.appending(path: "quakes.store"))
    try await restarts.expectFullFetch(SyncCounts(inserted: 1, updated: 1), storing: ["a": 1, "b": 2, "z": 8])
  }

  /// A power cut, or a copy that is put back: the file is of a later state than the store.
  @Test func aStoreThatWentBackIsBroughtForward() async throws {
    let elsewhere = try TemporaryFolder()
    let copy = elsewhere.url.appending(path: "quakes.store")
    for end in ["", "-wal"] {
      try? FileManager.default.copyItem(atPath: restarts.store.path + end, toPath: copy.path + end)
    }
    try await restarts.running { scene in
      scene.serve([("a", 1.5), ("b", 2)], tag: "2")
      guard case .synced(SyncCounts(updated: 1, unchanged: 1), _, _) = await scene.sync.sync() else {
        throw Unexpected()
      }
    }
    try restarts.move(from: copy)
    try await restarts.expectFullFetch(SyncCounts(updated: 1, unchanged: 1), storing: ["a": 1.5, "b": 2])
  }

  /// A crash between the rows and the file. The feed then goes back to what the file knows, which is not what is
  /// stored.
  @Test func aFileThatIsOlderThanTheRowsIsNone() async throws {
    let old = try Data(contentsOf: restarts.file)
    try await restarts.running { scene in
      scene.serve([("a", 1.5), ("b", 2)], tag: "2")
      guard case .synced = await scene.sync.sync() else { throw Unexpected() }
      #expect(try Data(contentsOf: restarts.file) != old)
      scene.serve(Restarts.feed, tag: "1")
    }
    try old.write(to: restarts.file)
    try await restarts.expectFullFetch(SyncCounts(updated: 1, unchanged: 1))
  }
}
