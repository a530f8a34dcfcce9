import ExampleSupport
import LarderTesting
import SwiftData
import Testing

@testable import quakes

/// The second service: a feed that is as it was costs nothing, and one that is not arrives.
@Suite struct NotModifiedTests {
  private func scene() throws -> Scene {
    StatementTrace.begin()
    return try Scene(route: .larder)
  }

  @Test func anUnchangedFeedReadsNoRowAndRunsNoStatement() async throws {
    let scene = try scene()
    scene.serve([("a", 1), ("b", 2)], tag: "1")
    try await scene.begin()
    guard case .synced(SyncCounts(inserted: 2), 2, _) = await scene.sync.sync() else { throw Unexpected() }
    #expect(scene.lastCondition == nil)
    try await scene.expectEvents(2)
    let synced = try #require(scene.board.current.lastSync)
    let (statements, bytes) = (StatementTrace.statements(at: scene.store).count, try scene.bytes())
    #expect(statements > 0)

    let report = await scene.sync.sync()
    guard case .notModified(features: 2, []) = report else { throw Unexpected() }
    #expect(report.words == "not modified, no row was read")
    #expect(scene.lastCondition == "\"1\"")
    #expect(StatementTrace.statements(at: scene.store).dropFirst(statements) == [])
    #expect(try scene.bytes() == bytes)
    try await scene.expectEvents(2)
    let now = try #require(scene.board.current.lastSync)
    #expect(now > synced && scene.board.current.trouble == nil)
    let kept = try #require(LastSync(besideStoreAt: scene.store).read())
    #expect(abs(kept.timeIntervalSince(now)) < 0.001)

    // The same watchers do see a round that brings something.
    scene.serve([("a", 1), ("b", 2.5), ("c", 3)], tag: "2")
    guard case .synced(SyncCounts(inserted: 1, updated: 1, unchanged: 1), 3, _) = await scene.sync.sync() else {
      throw Unexpected()
    }
    #expect(scene.lastCondition == "\"1\"")
    #expect(StatementTrace.statements(at: scene.store).count > statements)
    #expect(try scene.bytes() != bytes)
    try await scene.expectEvents(3)
    #expect(try scene.stored() == ["a": 1, "b": 2.5, "c": 3])
    guard case .notModified(features: 3, []) = await scene.sync.sync() else { throw Unexpected() }
    #expect(scene.lastCondition == "\"2\"")
  }

  @Test func aDateIsEnoughWhereThereIsNoTag() async throws {
    let scene = try scene()
    let date = "Wed, 07 Feb 2018 01:26:14 GMT"
    scene.origin.route(Scene.feedPath) { request in
      request.headers["if-modified-since"] == date
        ? .bytes(Data(), type: "application/json", status: 304)
        : .json(#"{"features":[]}"#, headers: ["Last-Modified": date])
    }
    guard case .synced = await scene.sync.sync() else { throw Unexpected() }
    guard case .notModified = await scene.sync.sync() else { throw Unexpected() }
  }

  /// The body is a fixture that gzip made.
  @Test func aCompressedFeedIsOneLikeOthers() async throws {
    let scene = try scene()
    let body = try Fixture.data("good.json.gz")
    scene.origin.route(Scene.feedPath) { request in
      guard request.headers["accept-encoding"]?.contains("gzip") == true else { return .text("", status: 406) }
      guard request.headers["if-none-match"] == nil else {
        return .bytes(Data(), type: "application/json", status: 304)
      }
      return .bytes(
        body, type: "application/json",
        headers: ["Content-Encoding": "gzip", "Vary": "Accept-Encoding", "ETag": "\"1-gzip\""])
    }
    guard case .synced(let counts, _, []) = await scene.sync.sync() else { throw Unexpected() }
    #expect(counts.inserted > 0)
    #expect(try scene.stored().count == counts.inserted)
    guard case .notModified(features: counts.inserted, []) = await scene.sync.sync() else { throw Unexpected() }
  }

  /// What was left out is still left out, as the feed is the same; also after a failure, which says something else.
  @Test func whatWasLeftOutIsStillSaid() async throws {
    let folder = try TemporaryFolder()
    let scene = try Scene(in: folder, route: .larder)
    let feed = try Fixture.data("null-magnitude.json")
    scene.serve(feed, tag: "1")
    try await scene.begin()
    guard case .synced(_, 3, let rejected) = await scene.sync.sync() else { throw Unexpected() }
    let sentence = "1 of 3 records was left out: bad1 (the magnitude is null)."
    #expect(try await scene.sentence() == sentence)
    try await scene.expectEvents(2)
    let report = await scene.sync.sync()
    guard case .notModified(features: 2, rejected) = report else { throw Unexpected() }
    #expect(report.words == "not modified, no row was read\n  \(sentence)")
    #expect(try await scene.sentence() == sentence)
    try await scene.expectEvents(2)

    scene.serve(.text("out of order", status: 500))
    guard case .failed(.status(500)) = await scene.sync.sync() else { throw Unexpected() }
    #expect(try await scene.sentence() != sentence)
    scene.serve(feed, tag: "1")
    guard case .notModified = await scene.sync.sync() else { throw Unexpected() }
    #expect(try await scene.sentence() == sentence)

    let restarted = try Scene(in: folder, route: .larder, origin: scene.origin)
    guard case .notModified(features: 2, rejected) = await restarted.sync.sync() else { throw Unexpected() }
    #expect(try await restarted.sentence() == sentence)
  }

  /// A 304 that nobody asked for is of no use to anybody.
  @Test func anUnaskedAnswerIsAnError() async throws {
    let scene = try scene()
    scene.serve(.bytes(Data(), type: "application/json", status: 304))
    guard case .failed(.status(304)) = await scene.sync.sync() else { throw Unexpected() }
  }

  @Test func theServiceAsPrintedAsksForAllOfItEachTime() async throws {
    let scene = try Scene(route: .urlsession)
    scene.serve([("a", 1)], tag: "1")
    for counts in [SyncCounts(inserted: 1), SyncCounts(unchanged: 1)] {
      guard case .synced(counts, 1, _) = await scene.sync.sync() else { throw Unexpected() }
      #expect(scene.lastCondition == nil)
    }
    #expect(!FileManager.default.fileExists(atPath: LastFeed(besideStoreAt: scene.store).file.path))
  }
}

/// A round that came to another end than the test is about.
struct Unexpected: Error {}
