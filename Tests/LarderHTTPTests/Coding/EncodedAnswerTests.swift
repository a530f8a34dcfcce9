import DurabilityWork
import Encoders
import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// Compressed answers over real sockets.
@Suite struct EncodedAnswerTests {
  private static let text = Data((0..<5_000).map { "{\"id\":\($0)}" }.joined(separator: "\n").utf8)

  private func head(_ coding: String, _ length: Int, status: String = "200 OK", more: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Type: application/x-ndjson\r\nContent-Encoding: \(coding)\r\n"
      + "Content-Length: \(length)\r\nConnection: close\r\n\(more)\r\n"
  }

  private func client(_ server: ScriptedServer, attempts: Int = 1) -> HTTPClient {
    HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true)) { configuration in
      configuration.retry = RetryPolicy(attempts: attempts)
      configuration.limits = Limits()
      configuration.deadlines = Deadlines(idle: .seconds(20))
    }
  }

  @Test(arguments: Encoded.allCases) func eachCoding(_ coding: Encoded) async throws {
    let encoded = coding.data(Self.text)
    let server = try ScriptedServer { _ in
      [.receiveRequest, .send(head(coding.name, encoded.count)), .sendData(encoded), .restart]
    }
    defer { server.stop() }
    let response = try await client(server).response(to: .get("/lines"))
    #expect(response.body == Self.text)
    #expect(response.headers["Content-Encoding"] == coding.name)
    #expect(response.metrics.bodyBytes == Int64(Self.text.count))
    #expect(response.metrics.bytesReceived < Int64(encoded.count + 400))
    var streamed = Data()
    for try await piece in try await client(server).stream(.get("/lines")).body { streamed.append(piece) }
    #expect(streamed == Self.text)
    #expect(server.requests.first?.headers["accept-encoding"] == "deflate, gzip, br, zstd")
  }

  /// The length is right, and the compression lacks its last byte: nothing of it is a success, and it is asked for again.
  @Test(arguments: Encoded.allCases) func whatBreaksOffIsNotWhole(_ coding: Encoded) async throws {
    let encoded = coding.data(Self.text)
    let server = try ScriptedServer { number in
      let body = number == 2 ? encoded : encoded.dropLast()
      return [.receiveRequest, .send(head(coding.name, body.count)), .sendData(body)]
    }
    defer { server.stop() }
    let error = await failure { () async throws(HTTPError) in
      try await client(server, attempts: 2).response(to: .get("/lines"))
    }
    #expect(error?.kind == .interrupted(.compression) && error?.delivery == .responded && error?.status == 200)
    #expect(error?.attempts == 2)
    #expect(error?.metrics?.bytesReceived ?? 0 > Int64(encoded.count))
    #expect("\(try #require(error))".contains("safe to send it again"))
    // The third time it is whole.
    #expect(try await client(server).response(to: .get("/lines")).body == Self.text)
  }

  @Test func aFileStaysAsItWas() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "encoded-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "lines")
    try Data("former".utf8).write(to: file)
    let encoded = Encoded.gzip.data(Self.text)
    let server = try ScriptedServer { number in
      let body = number == 0 ? encoded.dropLast(9) : encoded
      return [.receiveRequest, .send(head("gzip", body.count)), .sendData(body)]
    }
    defer { server.stop() }
    let client = client(server)
    let error = await failure { () async throws(HTTPError) in try await client.download(.get("/lines"), to: file) }
    #expect(error?.kind == .interrupted(.compression))
    #expect(try Data(contentsOf: file) == Data("former".utf8))
    let progress = Mutex<[TransferProgress]>([])
    let response = try await client.download(.get("/lines"), to: file) { now in progress.withLock { $0.append(now) } }
    #expect(try Data(contentsOf: file) == Self.text)
    #expect(response.metrics.bodyBytes == Int64(Self.text.count))
    // Of what comes over the connection, all is known.
    #expect(progress.withLock { $0.last } == TransferProgress(bytes: Int64(encoded.count), total: Int64(encoded.count)))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["lines"])
  }

  /// The reader of a stream is given what there is, and then the error, again and again.
  @Test func aStreamThatBreaksOff() async throws {
    let encoded = Encoded.gzip.data(Self.text).dropLast(8)
    let server = try ScriptedServer { _ in
      [.receiveRequest, .send(head("gzip", encoded.count)), .sendData(encoded), .restart]
    }
    defer { server.stop() }
    var pieces = try await client(server).stream(.get("/lines")).body.makeAsyncIterator()
    var came = Data()
    let error = await failure { () async throws(HTTPError) in
      while let piece = try await pieces.next() { came.append(piece) }
    }
    #expect(came == Self.text)
    #expect(error?.kind == .interrupted(.compression) && error?.request == "GET /lines")
    let again = await failure { () async throws(HTTPError) in try await pieces.next() }
    #expect(again?.kind == .interrupted(.compression))
  }

  /// Whoever reads slowly has no more read from the network than he reads, and what waits in buffers.
  @Test func aBodyThatIsReadSlowly() async throws {
    var random = SeededGenerator(seed: 3, 0)
    let plain = Data((0..<6 << 20).map { _ in random.next() }.withUnsafeBytes { Array($0) })
    let encoded = Encoded.zstd.data(plain)
    #expect(encoded.count > 48 << 20)
    let sent = Mutex(0)
    let server = try ScriptedServer { _ in
      let rest = Mutex(encoded[...])
      return [
        .receiveRequest, .send(head("zstd", encoded.count)),
        .sendEach {
          rest.withLock { rest in
            let part = rest.prefix(64 << 10)
            rest = rest.dropFirst(part.count)
            sent.withLock { $0 += part.count }
            return part.isEmpty ? nil : Data(part)
          }
        },
      ]
    }
    defer { server.stop() }
    var pieces = try await client(server).stream(.get("/noise")).body.makeAsyncIterator()
    var whole = Data()
    for _ in 0..<3 { whole.append(try #require(try await pieces.next())) }
    var before = -1
    while before != sent.withLock({ $0 }) {
      before = sent.withLock { $0 }
      try await Task.sleep(for: .milliseconds(300))
    }
    // The system's own buffers hold some megabytes.
    #expect(before < 24 << 20)
    while let piece = try await pieces.next() {
      #expect(piece.count <= 64 << 10)
      whole.append(piece)
    }
    #expect(whole == plain)
  }

  @Test func whoAsksForEncodingsGetsThem() async throws {
    let encoded = Encoded.gzip.data(Self.text)
    let server = try ScriptedServer { _ in
      [.receiveRequest, .send(head("gzip", encoded.count)), .sendData(encoded), .restart]
    }
    defer { server.stop() }
    let raw = try await client(server).response(to: Endpoint<Void>.get("/x", headers: ["Accept-Encoding": "gzip"]))
    #expect(raw.body == encoded && raw.metrics.bodyBytes == Int64(encoded.count))
    // And the next one on the same connection, who does not, does not.
    #expect(try await client(server).response(to: .get("/x")).body == Self.text)
  }

  /// Of a part the thing itself is divided; where a server divides what is encoded all the same, that is what there is.
  @Test func aRangeIsOfTheThingItself() async throws {
    let encoded = Encoded.gzip.data(Self.text)
    let server = try ScriptedServer { number in
      let part = encoded.prefix(50)
      return number == 0
        ? [
          .receiveRequest,
          .send(
            head("gzip", 50, status: "206 Partial Content", more: "Content-Range: bytes 0-49/\(encoded.count)\r\n")),
          .sendData(part),
        ] : [.receiveRequest, .send(head("gzip", encoded.count)), .sendData(encoded)]
    }
    defer { server.stop() }
    let client = client(server)
    let range = Endpoint<Void>.get("/x", headers: ["Range": "bytes=0-49"])
    #expect(try await client.response(to: range).body == encoded.prefix(50))
    #expect(try await client.response(to: range).body == Self.text)
    _ = try await client.response(to: .get("/x"))
    #expect(
      server.requests.map { $0.headers["accept-encoding"] } == ["identity", "identity", "deflate, gzip, br, zstd"])
  }

  /// A head says how the body would be encoded; a 304 and a 204 have none.
  @Test(arguments: ["HEAD", "204", "304", "empty"]) func whatHasNoBody(_ what: String) async throws {
    let server = try ScriptedServer { _ in
      let status = ["204": "204 No Content", "304": "304 Not Modified"][what] ?? "200 OK"
      return [
        .receiveRequest,
        .send(
          what == "204"
            ? "HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n"
            : head("gzip", what == "empty" ? 0 : 1_000, status: status)), .restart,
      ]
    }
    defer { server.stop() }
    let endpoint = Endpoint<Void>(what == "HEAD" ? .head : .get, "/x", headers: ["If-None-Match": "\"1\""])
    let response = try await client(server).response(to: endpoint)
    #expect(response.body.isEmpty && response.headers["Content-Encoding"] == "gzip")
  }

  /// What cannot be decoded is no answer; of a refusal the status is.
  @Test func anUnknownCoding() async throws {
    let server = try ScriptedServer { number in
      [.receiveRequest, .send(head("lzma", 4, status: number == 0 ? "200 OK" : "409 Conflict") + "abcd")]
    }
    defer { server.stop() }
    let error = await failure { () async throws(HTTPError) in try await client(server).response(to: .get("/x")) }
    #expect(error?.kind == .interrupted(.contentCoding("lzma")) && error?.attempts == 1)
    #expect(error?.description.contains("lzma") == true && error?.advice.contains("Accept-Encoding") == true)
    let refused = await failure { () async throws(HTTPError) in try await client(server).response(to: .get("/x")) }
    #expect(refused?.kind == .unacceptableStatus(409) && refused?.body.isEmpty == true)
  }

  /// What the server says of a refusal is compressed, too.
  @Test func aProblem() async throws {
    let problem = Encoded.brotli.data(Data(#"{"title": "No such place", "status": 404}"#.utf8))
    let server = try ScriptedServer { _ in
      [
        .receiveRequest,
        .send(
          "HTTP/1.1 404 Not Found\r\nContent-Type: application/problem+json\r\nContent-Encoding: br\r\n"
            + "Content-Length: \(problem.count)\r\n\r\n"), .sendData(problem), .restart,
      ]
    }
    defer { server.stop() }
    let error = await failure { () async throws(HTTPError) in try await client(server).response(to: .get("/x")) }
    #expect(error?.problem?.title == "No such place")
  }

  /// The answer is whole before the request is: a compressed one counts as any other.
  @Test func anAnswerBeforeTheRequestIsRead() async throws {
    let encoded = Encoded.gzip.data(Data(#"["done"]"#.utf8))
    let server = try ScriptedServer { _ in
      [
        .receive(bytes: 100),
        .send(
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
            + "Content-Length: \(encoded.count)\r\nConnection: close\r\n\r\n"), .sendData(encoded), .stall,
      ]
    }
    defer { server.stop() }
    let endpoint = Endpoint<[String]>.put("/x", body: .data(Data(count: 30 << 20)))
    #expect(try await client(server).request(endpoint) == ["done"])
  }
}
