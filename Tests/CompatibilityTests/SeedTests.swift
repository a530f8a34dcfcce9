import Foundation
import LoopbackServer
import Seed000
import Seed001
import Seed003
import Seed004
import SwiftData
import Synchronization
import Testing

/// Published code, as printed, against an origin on the loopback interface.
@Suite struct SeedTests {
  /// An origin whose one document can be exchanged.
  private final class Origin: Sendable {
    let server: LoopbackServer
    private let body: Mutex<(text: String, status: Int)>

    init(_ text: String) throws {
      body = Mutex((text, 200))
      server = try LoopbackServer()
      server.route("/document.json") { [self] _ in
        let (text, status) = body.withLock { $0 }
        return .json(text, status: status)
      }
    }

    var url: URL { server.url("/document.json") }
    func answer(_ text: String, status: Int = 200) { body.withLock { $0 = (text, status) } }
  }

  @Test func injectedSyncServiceAndViewModel() async throws {
    let origin = try Origin(
      """
      [{"id": "2", "name": "Rome", "startDate": 200, "endDate": 300},
       {"id": "1", "name": "Oslo", "startDate": 100, "endDate": 150}]
      """)
    defer { origin.server.stop() }
    let screen = try await Seed000(tripsURL: origin.url)
    await screen.load()
    #expect(await screen.names == [])

    #expect(await screen.syncWhileObserving())
    #expect(await screen.names == ["Oslo", "Rome"])

    origin.answer(#"[{"id": "1", "name": "Oslo again", "startDate": 400, "endDate": 500}]"#)
    await screen.sync()
    #expect(await screen.names == ["Rome", "Oslo again"])
    #expect(await screen.error == nil)

    origin.answer("<html>", status: 502)
    await screen.sync()
    #expect(await screen.error != nil)
    #expect(await screen.names == ["Rome", "Oslo again"])
  }

  @Test func modelActorThatFetchesAndPersists() async throws {
    let origin = try Origin(
      #"[{"id": "b", "name": "Rome", "startDate": 20}, {"id": "a", "name": "Oslo", "startDate": 10}]"#)
    defer { origin.server.stop() }
    let container = try Seed001.container()
    try await Seed001.sync(from: origin.url, into: container)
    #expect(try Seed001.trips(in: container) == ["a Oslo 10", "b Rome 20"])

    try await Seed001.sync(from: origin.url, into: container)
    #expect(try Seed001.trips(in: container) == ["a Oslo 10", "b Rome 20"])

    origin.answer(#"[{"id": "a", "name": "Oslo", "startDate": 30}]"#)
    try await Seed001.sync(from: origin.url, into: container)
    #expect(try Seed001.trips(in: container) == ["b Rome 20", "a Oslo 30"])
  }

  @Test func identifierTwiceInOneResponse() async throws {
    // The second must meet the first, which is inserted and not yet saved.
    let origin = try Origin(
      """
      [{"id": "a", "name": "Oslo", "startDate": 10}, {"id": "b", "name": "Rome", "startDate": 20},
       {"id": "a", "name": "Oslo at last", "startDate": 30}]
      """)
    defer { origin.server.stop() }
    let container = try Seed001.container()
    try await Seed001.sync(from: origin.url, into: container)
    #expect(try Seed001.trips(in: container) == ["b Rome 20", "a Oslo at last 30"])
  }

  @Test func responseThatIsNoTripsLeavesTheStoreAlone() async throws {
    let origin = try Origin(#"[{"id": "a", "name": "Oslo", "startDate": 10}]"#)
    defer { origin.server.stop() }
    let container = try Seed001.container()
    try await Seed001.sync(from: origin.url, into: container)
    origin.answer(#"[{"id": "a", "name": "Rome", "startDate": 20}, {"id": 5}]"#)
    await #expect(throws: DecodingError.self) { try await Seed001.sync(from: origin.url, into: container) }
    #expect(try Seed001.trips(in: container) == ["a Oslo 10"])
  }

  @Test func injectedContainer() async throws {
    #expect(try await Seed003.testImport() == ["Paris"])
    // Isolated: a second container in memory knows nothing of the first.
    #expect(try await Seed003.testImport() == ["Paris"])
  }

  @Test func injectedContainerOnDisk() async throws {
    let folder = URL.temporaryDirectory.appending(path: "seed003-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "trips.store")
    #expect(try await Seed003.importOnDisk(at: url) == ["Oslo"])
    #expect(try await Seed003.importOnDisk(at: url) == ["Oslo", "Oslo"])
  }

  @Test func transferObjectsToModels() async throws {
    let origin = try Origin(Self.feed(magnitude: 4.5))
    defer { origin.server.stop() }
    let quakes = try await Seed004(feed: origin.url)
    try await quakes.refresh()
    #expect(
      try await quakes.quakes(from: 2) == ["b2 4.5 3 km N of Oslo 10.5", "a1 2.5 40 km W of Reykjavík -22.5"])
    #expect(try await quakes.quakes(from: 3) == ["b2 4.5 3 km N of Oslo 10.5"])

    origin.answer(Self.feed(magnitude: 2))
    try await quakes.refresh()
    #expect(try await quakes.quakes(from: 2) == ["a1 2.5 40 km W of Reykjavík -22.5", "b2 2.0 3 km N of Oslo 10.5"])

    origin.answer("{}", status: 503)
    await #expect(throws: (any Error).self) { try await quakes.refresh() }
    #expect(try await quakes.quakes(from: 0).count == 2)
  }

  private static func feed(magnitude: Double) -> String {
    """
    {"type": "FeatureCollection", "features": [
      {"properties": {"mag": 2.5, "place": "40 km W of Reykjavík", "time": 1517962000000, "code": "a1"},
       "geometry": {"type": "Point", "coordinates": [-22.5, 64.1, 5]}},
      {"properties": {"mag": \(magnitude), "place": "3 km N of Oslo", "time": 1517962100000, "code": "b2"},
       "geometry": {"type": "Point", "coordinates": [10.5, 59.9, 1]}},
      {"properties": {"mag": 1.5, "place": "Nowhere", "time": 1517962200000, "code": "c3"},
       "geometry": {"type": "Point", "coordinates": [0, 0, 0]}}]}
    """
  }
}
