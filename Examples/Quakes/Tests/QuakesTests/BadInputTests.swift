import ExampleSupport
import LarderTesting
import SwiftData
import Testing

@testable import quakes

/// Each way in which a feed fails arrives over a socket, by both services; the store and the page's sentence are looked at.
@Suite struct BadInputTests {
  /// A store that has two earthquakes already.
  private func scene(_ route: FeedRoute) async throws -> Scene {
    let scene = try Scene(route: route)
    scene.serve([("old1", 4), ("good1", 1)])
    try await scene.begin()
    guard case .synced = await scene.sync.sync() else { throw TestFailure() }
    #expect(try await scene.sentence() == nil)
    return scene
  }

  private struct TestFailure: Error {}

  private static let kept = ["old1": 4.0, "good1": 1.0]
  private static let keptAndGood = ["old1": 4.0, "good1": 2.1, "good2": 5.4]

  @Test(arguments: FeedRoute.allCases) func aNullMagnitude(_ route: FeedRoute) async throws {
    let scene = try await scene(route)
    try scene.serve(fixture: "null-magnitude.json")
    guard case .synced(let counts, 3, let rejected) = await scene.sync.sync() else { throw TestFailure() }
    #expect(counts == SyncCounts(inserted: 1, updated: 1, unchanged: 0))
    #expect(rejected.map(\.name) == ["bad1"])
    #expect(try scene.stored() == Self.keptAndGood)
    #expect(try await scene.sentence() == "1 of 3 records was left out: bad1 (the magnitude is null).")
    #expect(scene.board.current.origin == .reachable)
  }

  @Test(arguments: FeedRoute.allCases) func missingCoordinates(_ route: FeedRoute) async throws {
    let scene = try await scene(route)
    try scene.serve(fixture: "missing-coordinates.json")
    guard case .synced(_, 8, let rejected) = await scene.sync.sync() else { throw TestFailure() }
    #expect(rejected.count == 6)
    #expect(try scene.stored() == Self.keptAndGood)
    let sentence = try #require(try await scene.sentence())
    #expect(sentence.hasPrefix("6 of 8 records were left out: bad1 (the coordinates are missing), "))
    #expect(sentence.hasSuffix(" and 3 more."))
  }

  @Test(arguments: FeedRoute.allCases) func aTruncatedBody(_ route: FeedRoute) async throws {
    let scene = try await scene(route)
    let body = try Fixture.data("good.json")
    scene.serve(.truncated(body.dropLast(200), declaring: body.count, type: "application/json"))
    try await expectFailure(scene, .brokeOff)
  }

  /// The declared length is kept, but the text itself ends too soon.
  @Test(arguments: FeedRoute.allCases) func aBodyCutBeforeItWasSent(_ route: FeedRoute) async throws {
    let scene = try await scene(route)
    scene.serve(.bytes(try Fixture.data("good.json").dropLast(200), type: "application/json"))
    try await expectFailure(scene, .notTheFeed(type: "other JSON, or damaged"))
  }

  @Test(arguments: FeedRoute.allCases) func htmlWithStatus200(_ route: FeedRoute) async throws {
    let scene = try await scene(route)
    scene.serve(.bytes(try Fixture.data("maintenance.html"), type: "text/html"))
    try await expectFailure(scene, .notTheFeed(type: "text/html"))
  }

  @Test(arguments: FeedRoute.allCases) func anEmptyBody(_ route: FeedRoute) async throws {
    let scene = try await scene(route)
    scene.serve(.bytes(Data(), type: "application/json"))
    try await expectFailure(scene, .notTheFeed(type: "an empty body"))
  }

  @Test(arguments: FeedRoute.allCases) func status500(_ route: FeedRoute) async throws {
    let scene = try await scene(route)
    scene.serve(.text("out of order", status: 500))
    try await expectFailure(scene, .status(500))
  }

  @Test(arguments: FeedRoute.allCases) func aHang(_ route: FeedRoute) async throws {
    let scene = try await scene(route)
    scene.serve(.hang)
    try await expectFailure(scene, .timedOut(seconds: 1))
  }

  @Test(arguments: FeedRoute.allCases) func nobodyThere(_ route: FeedRoute) async throws {
    let scene = try await scene(route)
    scene.origin.stop()
    try await expectFailure(scene, .unreachable)
  }

  /// A round that fails is no end: the next one goes on.
  private func expectFailure(_ scene: Scene, _ error: NetworkError) async throws {
    let synced = try #require(scene.board.current.lastSync)
    let report = await scene.sync.sync()
    guard case .failed(error) = report else {
      Issue.record("The report is \(report)")
      return
    }
    #expect(try scene.stored() == Self.kept)
    #expect(scene.board.current.lastSync == synced)
    let sentence = try #require(try await scene.sentence())
    #expect(sentence.hasPrefix("\(error) The store keeps what it had."))
    #expect(report.words == "\(error) The store keeps what it had.")
    if !error.originAnswered {
      #expect(sentence.contains("Shown are its 2 earthquakes, last in step "))
    }
    // One event for the two that came, one for each change of the status.
    try await scene.expectEvents(3)
    _ = await scene.sync.sync()
    try await scene.expectEvents(3)
  }

  @Test func whatTheFeedSaysNeverBecomesMarkup() async throws {
    let scene = try Scene()
    try scene.serve(fixture: "hostile.json")
    guard case .synced(_, 2, let rejected) = await scene.sync.sync() else { throw TestFailure() }
    #expect(rejected.count == 1)
    for address in ["", "?text=%3Cscript%3Ealert", "?text=%22%3E%3Cimg%20src%3Dx%3E&sort=%22%3E%3Cimg"] {
      let html = try await scene.html(address)
      #expect(!html.contains("<script>"))
      #expect(!html.contains("<img"))
      #expect(!html.contains("<b onclick"))
      #expect(html.contains("&lt;"))
    }
    #expect(try await scene.html("?text=%3Cscript%3E").contains("&lt;script&gt;alert(&#39;place&#39;)"))
  }
}
