import LarderTesting
import SwiftData
import Testing
import XCTest

/// The tests that Testing.md shows are tests.
// snippet: in memory
@Suite struct QuakeTests {
  let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test func aQuakeIsFoundByItsCode() throws {
    let context = ModelContext(container)
    let place = Location(name: "Alaska", longitude: -150.5, latitude: 61.2)
    context.insert(Quake(code: "ak1", magnitude: 5.4, time: .now, location: place))
    try context.save()

    // A context of its own reads what was saved, and not what the first one still holds.
    let found = try ModelContext(container).fetch(FetchDescriptor<Quake>(predicate: #Predicate { $0.code == "ak1" }))
    #expect(found.map(\.magnitude) == [5.4])
  }
}
// snippet end

// snippet: xctest
final class QuakeTestCase: XCTestCase {
  private var container: ModelContainer!

  override func setUpWithError() throws {
    container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  override func tearDown() { container = nil }

  @MainActor
  func testTheMainContextShowsWhatIsPending() throws {
    let place = Location(name: "Alaska", longitude: -150.5, latitude: 61.2)
    container.mainContext.insert(Quake(code: "ak1", magnitude: 5.4, time: .now, location: place))
    XCTAssertEqual(try container.mainContext.fetchCount(FetchDescriptor<Quake>()), 1)
  }
}
// snippet end

// snippet: protocol
protocol QuakeSource: Sendable {
  func quakes() async throws -> [QuakeDTO]
}

struct Sync {
  var source: any QuakeSource
  var importer: QuakeImporter

  func run() async throws { try await importer.importQuakes(source.quakes()) }
}
// snippet end

// snippet: service
struct QuakeService {
  var url: URL

  func fetch() async throws -> [QuakeDTO] {
    let (data, _) = try await URLSession.shared.data(from: url)
    return try JSONDecoder().decode([QuakeDTO].self, from: data)
  }
}
// snippet end

@Suite struct TestingArticleTests {
  // snippet: on disk
  @Test func quakesOutliveTheContainer() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "quakes-\(UUID().uuidString).store")
    defer {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path() + suffix) }
    }
    func open() throws -> ModelContainer {
      try ModelContainer(for: Quake.self, configurations: ModelConfiguration(url: file))
    }
    do {
      let context = ModelContext(try open())
      let place = Location(name: "Alaska", longitude: -150.5, latitude: 61.2)
      context.insert(Quake(code: "ak1", magnitude: 5.4, time: .now, location: place))
      try context.save()
    }
    #expect(try ModelContext(open()).fetchCount(FetchDescriptor<Quake>()) == 1)
  }
  // snippet end

  // snippet: two containers
  @Test func containersOnOneFileShareIt() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "quakes-\(UUID().uuidString).store")
    defer {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path() + suffix) }
    }
    let configuration = ModelConfiguration(url: file)
    let writer = ModelContext(try ModelContainer(for: Quake.self, configurations: configuration))
    let reader = ModelContext(try ModelContainer(for: Quake.self, configurations: configuration))
    let place = Location(name: "Alaska", longitude: -150.5, latitude: 61.2)
    writer.insert(Quake(code: "ak1", magnitude: 5.4, time: .now, location: place))
    #expect(try reader.fetchCount(FetchDescriptor<Quake>()) == 0)
    try writer.save()
    #expect(try reader.fetchCount(FetchDescriptor<Quake>()) == 1)
  }
  // snippet end

  // snippet: mock service
  private struct MockSource: QuakeSource {
    var answer: @Sendable () throws -> [QuakeDTO]
    func quakes() async throws -> [QuakeDTO] { try answer() }
  }

  @Test func aFailureLeavesTheStoreAsItWas() async throws {
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let dto = QuakeDTO(code: "ak1", magnitude: 5.4, time: .now, place: "Alaska", longitude: -150.5, latitude: 61.2)
    var sync = Sync(source: MockSource { [dto] }, importer: QuakeImporter(modelContainer: container))
    try await sync.run()

    sync.source = MockSource { throw URLError(.timedOut) }
    await #expect(throws: URLError.self) { try await sync.run() }
    #expect(try ModelContext(container).fetch(FetchDescriptor<Quake>()).map(\.code) == ["ak1"])
  }
  // snippet end

  // snippet: explain in a test
  @Test func codesAreLookedUpByTheirIndex() throws {
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let code = "ak1"
    let lookUp = FetchDescriptor<Quake>(predicate: #Predicate { $0.code == code })
    let explanation = try ModelContext(container).explain(lookUp)
    #expect(!explanation.isScan)
    #expect(!explanation.isPartlyInSwift)
  }
  // snippet end

  // snippet: loopback
  @Test func theServiceReadsTheFeed() async throws {
    let server = try LoopbackServer()
    server.route("/feed") { _ in
      .json(#"[{"code": "ak1", "magnitude": 5.4, "time": 0, "place": "Alaska", "longitude": 1, "latitude": 2}]"#)
    }
    let feed = try await QuakeService(url: server.url("/feed")).fetch()
    #expect(feed.map(\.code) == ["ak1"])
    #expect(server.requestCount("/feed") == 1)

    server.route("/feed") { _ in .text("<h1>Down for maintenance</h1>", type: "text/html") }
    await #expect(throws: DecodingError.self) { try await QuakeService(url: server.url("/feed")).fetch() }
    server.stop()
  }
  // snippet end

  // snippet: mock client
  struct QuakeClient {
    var httpClient = URLSession.shared
    var url: URL

    func fetch() async throws -> [QuakeDTO] {
      let (data, _) = try await httpClient.data(from: url)
      return try JSONDecoder().decode([QuakeDTO].self, from: data)
    }
  }

  @Test func theClientReadsTheFeed() async throws {
    let url = try #require(URL(string: "https://example.com/feed"))
    let stub = HTTPStub { _ in .json("[]") }
    let client = QuakeClient(httpClient: stub.session, url: url)
    #expect(try await client.fetch().isEmpty)
    #expect(stub.requests.map(\.url) == [url])

    stub.setHandler { _ in throw URLError(.timedOut) }
    await #expect(throws: URLError.self) { try await client.fetch() }
  }
  // snippet end
}
