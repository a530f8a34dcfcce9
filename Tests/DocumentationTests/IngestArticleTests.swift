import Foundation
import Larder
import LarderTesting
import Testing

// snippet: ingest record
@JSONReadable(dates: .millisecondsSince1970)
struct Tremor {
  let code: String
  let mag: Double
  let time: Date
  var place = ""
}
// snippet end

private struct PlainTremor: Decodable {
  let code: String
  let mag: Double
  let time: Date
}

/// The steps of LarderIngest.md, each run.
@Suite struct IngestArticleTests {
  @Test func responsesBecomeRows() async throws {
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let feed =
      #"{"features":[{"code":"a","time":1000,"mag":1.5,"felt":null},{"code":"b","#
      + #""time":2000,"mag":2.5,"place":"Alaska"}],"count":2}"#
    let stub = TransportStub { _ in .json(feed) }
    let client = HTTPClient(baseURL: URL(string: "https://api.example")!, transport: stub)
    // snippet: ingest
    let response = try await client.stream(.get("/feed", headers: ["Accept": "application/geo+json"]))
    let tremors = JSONElementSequence(of: Tremor.self, at: "features[*]", in: response.body)
    let report = try await container.ingest(tremors, into: Quake.self, by: \.code, author: "feed") { quake in
      quake.set(\.code) { $0.code }
      quake.set(\.magnitude) { $0.mag }
      quake.set(\.time) { $0.time }
      quake.set(\.location) { Location(name: $0.place, longitude: 0, latitude: 0) }
    }
    print("\(report.inserted) new, \(report.updated) changed, \(report.unchanged) as they were")
    // snippet end
    #expect(report.inserted == 2 && report.failed == 0)
    let quakes = try ModelContext(container).fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.code)]))
    #expect(quakes.map(\.location.name) == ["", "Alaska"])
    #expect(quakes.map(\.time) == [Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2)])
    #expect(stub.requests.map { $0.headers["Accept"] } == ["application/geo+json"])

    try await plainTypesGoTheSameWay(try await client.stream(.get("/feed")), container)
  }

  private func plainTypesGoTheSameWay(_ response: StreamedResponse, _ container: ModelContainer) async throws {
    // snippet: ingest codable
    let decoder = StrictJSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    let plain = JSONElementSequence(decoding: PlainTremor.self, with: decoder, at: "features[*]", in: response.body)
    // snippet end
    let same = try await container.ingest(plain, into: Quake.self, by: \.code) { quake in
      quake.set(\.code) { $0.code }
      quake.set(\.magnitude) { $0.mag }
      quake.set(\.time) { $0.time }
      quake.set(\.location) { Location(name: $0.code == "a" ? "" : "Alaska", longitude: 0, latitude: 0) }
    }
    #expect(same.unchanged == 2 && same.failed == 0)
  }

  @Test func oneBadLineIsLeftOut() async throws {
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let feed = ["1.5", "NaN", "2.5"].enumerated().map { #"{"code":"\#($0)","time":1000,"mag":\#($1)}"# }
    let stub = TransportStub { _ in .json(feed.joined(separator: "\n")) }
    let client = HTTPClient(baseURL: URL(string: "https://api.example")!, transport: stub)
    let response = try await client.stream(.get("/feed"))
    // snippet: ingest lines
    let lines = JSONElementSequence(of: Tremor.self, at: .lines, in: response.body, malformedLines: .skip(atMost: 20))
    let report = try await container.ingest(lines, into: Quake.self, by: \.code) { quake in
      quake.set(\.code) { $0.code }
      quake.set(\.magnitude) { $0.mag }
      quake.set(\.time) { $0.time }
      quake.set(\.location) { Location(name: $0.place, longitude: 0, latitude: 0) }
    }
    for failure in report.firstFailures { print("line \(failure.line ?? 0): \(failure.error)") }
    // snippet end
    #expect(report.inserted == 2 && report.failed == 1)
    #expect(report.firstFailures.map(\.line) == [2])
  }

  /// Lines that are cut off between two are whole lines all the same; what they are compressed with says that more was meant.
  @Test func aCompressionThatBreaksOffRemovesNothing() async throws {
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let lines = ["a", "b", "c"].map { #"{"code":"\#($0)","time":1000,"mag":1.5}"# }
    // What is cut off are four bytes, and what follows them of the compression.
    let server = try FaultServer(faults: .script([nil, .truncatedCompression])) { request in
      let kept = request.target == "/all" ? lines : Array(lines.prefix(2))
      return .text(kept.joined(separator: "\n") + "\n\n\n\n\n", type: "application/x-ndjson")
    }
    defer { server.stop() }
    var options = CurlTransport.Options()
    options.proxy = .none
    let client = HTTPClient(baseURL: server.url(), transport: CurlTransport(options: options))
    func ingest(_ path: EndpointPath) async throws -> UpsertReport {
      let response = try await client.stream(.get(path))
      let tremors = JSONElementSequence(of: Tremor.self, at: .lines, in: response.body)
      return try await container.ingest(tremors, into: Quake.self, by: \.code, removing: .missing) { quake in
        quake.set(\.code) { $0.code }
        quake.set(\.magnitude) { $0.mag }
        quake.set(\.time) { $0.time }
        quake.set(\.location) { Location(name: $0.place, longitude: 0, latitude: 0) }
      }
    }
    #expect(try await ingest("/all").inserted == 3)
    let error = await #expect(throws: HTTPError.self) { try await ingest("/two") }
    #expect(error?.kind == .interrupted(.compression))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 3)
    #expect(try await ingest("/two").removed == 1)
  }
}
