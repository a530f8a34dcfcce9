import Foundation
import FoundationNetworking
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

@Suite struct UploadTests {
  /// What was told, in its order.
  private final class Told: Sendable {
    private let list = Mutex<[TransferProgress]>([])
    func add(_ progress: TransferProgress) { list.withLock { $0.append(progress) } }
    var all: [TransferProgress] { list.withLock { $0 } }
  }

  private struct Upload: APIEndpoint {
    var content: RequestBody?
    var path: EndpointPath { "/v1/files" }
    var method: HTTPMethod { .put }
  }

  private let contents = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 3) })

  private func bodies(_ file: URL) -> [RequestBody] {
    let contents = contents
    return [
      .data(contents), .file(file),
      .stream(length: Int64(contents.count), type: "a/b") {
        AsyncStream { continuation in
          for part in 0..<10 { continuation.yield(contents.dropFirst(part * 100_000).prefix(100_000)) }
          continuation.finish()
        }
      },
    ]
  }

  @Test func bytesAreToldOfBytesInAll() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.json("[\"done\"]")), .restart] }
    defer { server.stop() }
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try contents.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let client = HTTPClient(baseURL: server.url(), transport: CurlTransport.direct())
    for body in bodies(file) {
      let told = Told()
      let answer: [String] = try await client.upload(Upload(content: body)) { told.add($0) }
      #expect(answer == ["done"])
      #expect(told.all.allSatisfy { $0.total == 1_000_000 })
      #expect(told.all.count > 3 && told.all.last?.fraction == 1)
      #expect(zip(told.all, told.all.dropFirst()).allSatisfy { $0.bytes < $1.bytes })
    }
    #expect(server.requests.map(\.body) == [contents, contents, contents])
  }

  @Test func aSmallBodyIsToldToo() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.response(status: "204 No Content")), .restart] }
    defer { server.stop() }
    let client = HTTPClient(baseURL: server.url(), transport: CurlTransport.direct())
    let told = Told()
    try await client.upload(Endpoint<Void>.post("/x", body: .json(["a": 1]))) { told.add($0) }
    #expect(told.all == [TransferProgress(bytes: 7, total: 7)])
    // Where nothing is sent, nothing is told.
    try await client.upload(Endpoint<Void>.post("/x")) { told.add($0) }
    #expect(told.all.count == 1)
  }

  /// Each attempt sends the whole, and tells of it from the beginning.
  @Test func anotherAttemptBeginsAnew() async throws {
    let server = try ScriptedServer { number in
      number == 0 ? [.receiveRequest, .reset] : [.receiveRequest, .send(Wire.json("[]"))]
    }
    defer { server.stop() }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true))
    let told = Told()
    _ = try await client.upload(Endpoint<[Int]>.put("/x", body: .data(contents))) { told.add($0) }
    #expect(told.all.filter { $0.fraction == 1 }.count == 2 && server.requests.count == 2)
  }

  @Test func aPortalsPageIsNoReceipt() async throws {
    let stub = TransportStub { _ in .text("<html>", type: "text/html") }
    let client = HTTPClient(baseURL: URL(string: "https://h")!, transport: stub)
    let told = Told()
    let error = await failure { () async throws(HTTPError) in
      try await client.upload(Endpoint<Void>.post("/x", body: .text("abc"))) { told.add($0) }
    }
    #expect(error?.kind == .notJSON(mediaType: "text/html"))
    #expect(told.all == [TransferProgress(bytes: 3, total: 3)])
  }

  /// A minute of silence ends it, and five minutes of sending do not.
  @Test func itTakesAsLongAsItTakes() async throws {
    let stub = TransportStub { _ in .status(204) }
    let client = HTTPClient(baseURL: URL(string: "https://h")!, transport: stub)
    try await client.upload(Endpoint<Void>.post("/x", body: .text("a"))) { _ in }
    try await client.upload(
      Endpoint<Void>.post("/x", body: .text("a")).with { $0.deadlines = Deadlines(total: .seconds(5)) }
    ) { _ in }
    #expect(stub.requests[0].deadlines.total == nil)
    #expect(try #require(stub.requests[1].deadlines.total) <= .seconds(5))
  }

  @Test func bySession() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.json("[]"))] }
    defer { server.stop() }
    let client = HTTPClient(baseURL: server.url(), transport: URLSessionTransport(.shared))
    let told = Told()
    _ = try await client.upload(Endpoint<[Int]>.put("/x", body: .data(contents))) { told.add($0) }
    #expect(told.all.last == TransferProgress(bytes: 1_000_000, total: 1_000_000))
  }
}
