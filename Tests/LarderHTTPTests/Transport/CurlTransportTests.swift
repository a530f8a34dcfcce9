import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

@Suite struct CurlTransportTests {
  private let transport = CurlTransport.direct()

  @Test func aResponse() async throws {
    let server = try ScriptedServer { _ in
      [.receiveRequest, .send(Wire.response("hello", headers: ["X-A: 1", "x-a:  2 ", "ETag: \"7\""])), .restart]
    }
    defer { server.stop() }
    let response = try await transport.exchange(HTTPRequest(.get, server.url("/a%2Fb?q=1"), headers: ["X-B": "c d"]))
    #expect(response.status == 200)
    #expect(response.body == Data("hello".utf8))
    #expect(response.headers.values(for: "X-A") == ["1", "2"])
    #expect(response.headers["etag"] == "\"7\"")
    let metrics = response.metrics
    #expect(metrics.version == "1.1" && !metrics.isReusedConnection)
    #expect(metrics.bodyBytes == 5 && metrics.bytesReceived > 5 && metrics.bytesSent > 50)
    #expect(metrics.total >= metrics.firstByte && metrics.firstByte >= metrics.connect && metrics.connect > .zero)

    let again = try await transport.exchange(HTTPRequest(.head, server.url("/a")))
    #expect(again.metrics.isReusedConnection)
    #expect(again.body.isEmpty)
    #expect(server.connectionCount == 1)

    let requests = server.requests
    #expect(requests.map(\.method) == ["GET", "HEAD"])
    #expect(requests[0].target == "/a%2Fb?q=1")
    #expect(requests[0].headers["x-b"] == "c d")
    #expect(requests[0].headers["content-type"] == nil && requests[0].headers["expect"] == nil)
  }

  /// As `top` and debuggers show it, and each of them: a thread may run before the one that started it goes on. Others' transports come and go meanwhile, so it
  /// is asked by the thread itself, which tells of progress.
  @Test func theThreadHasAName() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.response("hello")), .restart] }
    defer { server.stop() }
    for _ in 0..<50 {
      let names = Mutex<Set<String>>([])
      var request = HTTPRequest(.get, server.url("/"))
      request.downloadProgress = { _ in
        let name = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? "none"
        names.withLock { _ = $0.insert(name) }
      }
      _ = try await CurlTransport.direct().exchange(request)
      #expect(names.withLock { $0 } == ["larder-http\n"])
    }
  }

  /// A process that is begun by somebody else must not hold a connection open. This one stays while it is looked at: beside
  /// other tests that may take longer than a server waits for the next request.
  @Test func connectionsAreForNoChild() async throws {
    let server = try ScriptedServer { _ in
      [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), .stall]
    }
    defer { server.stop() }
    var request = HTTPRequest(.get, server.url("/"))
    request.deadlines.idle = nil
    request.deadlines.total = nil
    let response = try await transport.send(request)
    defer { response.body.cancel() }
    // Both ends are this process's. What other tests left behind may lead to a server that has stopped and had the same
    // port: only this one's has an end on either side.
    let ends = try SocketEnd.all()
    let kept = ends.filter { end in
      end.peer == "127.0.0.1:\(server.port)" && ends.contains { $0.own == end.peer && $0.peer == end.own }
    }
    #expect(kept.count == 1, "\(server.port) of \(ends)")
    #expect(kept.allSatisfy { fcntl($0.descriptor, F_GETFD) & FD_CLOEXEC != 0 })
  }

  /// A body of no bytes is complete at once, and an interim response is no answer.
  @Test(arguments: [false, true]) func theFirstByteIsThatOfTheAnswer(_ isInterim: Bool) async throws {
    let server = try ScriptedServer { _ in
      [.receiveRequest] + (isInterim ? [.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")] : []) + [.stall]
    }
    defer { server.stop() }
    let body = RequestBody.stream(length: 0, type: "x/y") { AsyncStream<Data> { $0.finish() } }
    for body in isInterim ? [nil, RequestBody.data(Data([1]), type: "x/y")] : [body] {
      var request = HTTPRequest(.post, server.url(), body: body)
      request.deadlines = Deadlines(firstByte: .milliseconds(300), idle: nil, total: .seconds(60))
      let error = await #expect(throws: HTTPError.self) { try await transport.exchange(request) }
      #expect(error?.kind == .deadline(.firstByte) && error?.delivery == .maybeSent)
    }
  }

  @Test func dotSegmentsAreSentAsTheyAre() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.response())] }
    defer { server.stop() }
    _ = try await transport.exchange(HTTPRequest(.get, server.url("/a/../b/./%2e")))
    #expect(server.requests[0].target == "/a/../b/./%2e")
  }

  @Test(arguments: [HTTPMethod.post, .put, .patch, .delete, .get, HTTPMethod(rawValue: "REPORT")])
  func bodies(_ method: HTTPMethod) async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.response()), .restart] }
    defer { server.stop() }
    let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    for body in [Data(), Data("{}".utf8), large] {
      _ = try await transport.exchange(HTTPRequest(method, server.url(), body: .data(body, type: "x/y")))
    }
    _ = try await transport.exchange(HTTPRequest(method, server.url()))
    let requests = server.requests
    #expect(requests.map(\.body.count) == [0, 2, 300_000, 0])
    #expect(requests[2].body == large)
    #expect(requests.allSatisfy { $0.method == method.rawValue && $0.headers["expect"] == nil })
    #expect(requests.map { $0.headers["content-type"] } == ["x/y", "x/y", "x/y", nil])
    #expect(requests[0].headers["content-length"] == "0")
    let sendsEmpty = [.post, .put, .patch].contains(method)
    #expect(requests[3].headers["content-length"] == (sendsEmpty ? "0" : nil))
  }

  @Test func aStreamIsSentAsItIsMade() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.response()), .restart] }
    defer { server.stop() }
    let parts = (0..<200).map { Data(repeating: UInt8($0), count: 5_000) }
    @Sendable func stream() -> AsyncStream<Data> {
      AsyncStream { continuation in
        for part in parts { continuation.yield(part) }
        continuation.finish()
      }
    }
    let progress = Mutex<[TransferProgress]>([])
    let request = HTTPRequest(.post, server.url(), body: .stream(type: "x/y", stream)).with {
      $0.uploadProgress = { now in progress.withLock { $0.append(now) } }
    }
    let metrics = try await transport.exchange(request).metrics
    #expect(metrics.bytesSent > 1_000_000)
    _ = try await transport.exchange(
      HTTPRequest(.put, server.url(), body: .stream(length: 1_000_000, type: "x/y", stream)))
    let requests = server.requests
    let whole: Data = parts.reduce(into: Data()) { $0 += $1 }
    #expect(requests.map(\.body) == [whole, whole])
    #expect(requests[0].headers["transfer-encoding"] == "chunked")
    #expect(requests[1].headers["content-length"] == "1000000")
    let seen = progress.withLock { $0 }
    #expect(seen.last == TransferProgress(bytes: 1_000_000, total: nil))
    #expect(seen.count > 5 && zip(seen, seen.dropFirst()).allSatisfy { $0.bytes <= $1.bytes })
  }

  @Test func aFileIsSent() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.response()), .restart] }
    defer { server.stop() }
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    let contents = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    try contents.write(to: file)
    _ = try await transport.exchange(HTTPRequest(.put, server.url(), body: .file(file)))
    #expect(server.requests[0].body == contents)
    #expect(server.requests[0].headers["content-length"] == "200000")
    let missing = await failure { () async throws(HTTPError) in
      try await transport.exchange(HTTPRequest(.put, server.url(), body: .file(file.appending(path: "none"))))
    }
    #expect(missing?.kind == .invalidRequest(.body) && missing?.delivery == .notSent)
    let folder = await failure { () async throws(HTTPError) in
      try await transport.exchange(HTTPRequest(.put, server.url(), body: .file(file.deletingLastPathComponent())))
    }
    #expect(folder?.kind == .invalidRequest(.body) && folder?.delivery == .notSent)
    #expect(server.requests.count == 1)
  }

  @Test func aReaderThatIsSlowHoldsTheServerBack() async throws {
    let sent = Mutex(0)
    let portion = Data(repeating: 7, count: 64 << 10)
    let count = 800
    let server = try ScriptedServer { _ in
      [
        .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(count * portion.count)\r\n\r\n"),
        .sendEach {
          sent.withLock { sent in
            if sent == count { return nil }
            sent += 1
            return portion
          }
        },
      ]
    }
    defer { server.stop() }
    let request = HTTPRequest(.get, server.url()).with { $0.deadlines.idle = .seconds(2) }
    let response = try await CurlTransport.direct { $0.bufferedBytes = 128 << 10 }.send(request)
    // Until nothing moves any more: the sockets' own buffers are full.
    var before = -1
    while sent.withLock({ $0 }) != before {
      before = sent.withLock { $0 }
      try await Task.sleep(for: .milliseconds(700))
    }
    // 50 MiB in all; the kernel keeps a few.
    #expect(before < count / 2)
    var received = 0
    for try await piece in response.body { received += piece.count }
    #expect(received == count * portion.count)
    #expect(sent.withLock { $0 } == count)
  }

  @Test func aHundredAtOnce() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.response("hello")), .restart] }
    defer { server.stop() }
    let transport = CurlTransport.direct { $0.maximumConnectionsPerHost = 8 }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          let response = try await transport.exchange(HTTPRequest(.get, server.url("/\(number)")))
          #expect(response.body == Data("hello".utf8))
        }
      }
      try await group.waitForAll()
    }
    #expect(Set(server.requests.map(\.target)) == Set((0..<100).map { "/\($0)" }))
    #expect(server.connectionCount <= 8)
  }

  @Test func cancelIsPromptAndSaysWhatWasSent() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .stall] }
    defer { server.stop() }
    let clock = ContinuousClock()
    var quickest = Duration.seconds(60)
    for number in 1...10 {
      let task = Task { [transport] () -> HTTPError? in
        await failure { () async throws(HTTPError) in try await transport.exchange(HTTPRequest(.post, server.url())) }
      }
      while server.requests.count < number { try await Task.sleep(for: .milliseconds(1)) }
      let start = clock.now
      task.cancel()
      let error = await task.value
      quickest = min(quickest, clock.now - start)
      #expect(error?.kind == .cancelled)
      #expect(error?.delivery == .maybeSent)
    }
    // Of ten, since other tests want the processor too, and sanitizers take their share.
    #expect(quickest < .milliseconds(50))
    // And the server is left.
    while server.openConnectionCount > 0 { try await Task.sleep(for: .milliseconds(2)) }

    let before = Task { [transport] () -> HTTPError? in
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure { () async throws(HTTPError) in
        try await transport.exchange(HTTPRequest(.post, server.url("/x")))
      }
    }
    #expect(await before.value?.kind == .cancelled)
    #expect(await before.value?.delivery == .notSent)
  }

  @Test func lettingGoOfABodyEndsTheTransfer() async throws {
    let server = try ScriptedServer { _ in
      [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), .stall]
    }
    defer { server.stop() }
    do { _ = try await transport.send(HTTPRequest(.get, server.url())) }
    // The script ends when the client has gone.
    while server.openConnectionCount > 0 { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test func shuttingDownEndsWhatIsUnderWay() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .stall] }
    defer { server.stop() }
    let transport = CurlTransport.direct()
    let task = Task {
      await failure { () async throws(HTTPError) in try await transport.exchange(HTTPRequest(.get, server.url())) }
    }
    while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    transport.shutDown()
    #expect(await task.value?.kind == .maybeSent(.shutDown))
    let late = await failure { () async throws(HTTPError) in
      try await transport.exchange(HTTPRequest(.get, server.url()))
    }
    #expect(late?.kind == .notSent(.shutDown))
  }

  @Test(arguments: [
    HTTPHeaders([("X", "a\r\nY: b")]), HTTPHeaders([("X\n", "a")]), HTTPHeaders([("", "a")]),
    HTTPHeaders([("X", "a\0")]),
    HTTPHeaders([("Content-Length", "5")]), HTTPHeaders([("transfer-encoding", "chunked")]),
  ]) func headersThatWouldBreakTheFrame(_ headers: HTTPHeaders) async throws {
    let error = await failure { () async throws(HTTPError) in
      try await transport.exchange(HTTPRequest(.get, URL(string: "http://127.0.0.1:9/")!, headers: headers))
    }
    guard case .invalidRequest(.header) = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.delivery == .notSent)
  }

  @Test(arguments: ["text/plain\r\nX-Forged: 1", "text/plain\nX-Forged: 1", "text/plain\0"])
  func aMediaTypeThatWouldBreakTheFrame(_ type: String) async throws {
    let error = await failure { () async throws(HTTPError) in
      try await transport.exchange(
        HTTPRequest(.post, URL(string: "http://127.0.0.1:9/")!, body: .data(Data("a".utf8), type: type)))
    }
    #expect(error?.kind == .invalidRequest(.header(name: "Content-Type")))
  }

  /// The limit is passed by what libcurl had kept while the transfer was paused.
  @Test func aLimitThatIsPassedAfterAPause() async throws {
    let bomb = GzipEncoder.gzip(zeros: 1 << 20)
    let server = try ScriptedServer { _ in
      [
        .receiveRequest,
        .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"), .sendData(bomb),
        .stall,
      ]
    }
    defer { server.stop() }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true)) { configuration in
      configuration.limits = Limits(decompressedBody: 512 << 10)
      configuration.deadlines.idle = .seconds(2)
    }
    let error = await failure { () async throws(HTTPError) in try await client.response(to: .get("/x")) }
    #expect(error?.kind == .tooLarge(.decompressedBody(limit: 512 << 10)))
    #expect(error?.attempts == 1)
  }

  /// Not as Data, whose storage the leak sanitizer does not find in a global.
  private static let bomb = Array(GzipEncoder.gzip(zeros: 50 << 20))

  /// Of a refusal and of a redirect little is kept, and little is taken, however much was asked for at once.
  @Test(arguments: ["404 Not Found", "500 Internal Server Error", "302 Found"])
  func aRefusalThatIsLarge(_ status: String) async throws {
    let bomb = Data(Self.bomb)
    let server = try ScriptedServer { number in
      let target = status.hasPrefix("302") ? "Location: /elsewhere\r\n" : ""
      return number == 0
        ? [
          .receiveRequest,
          .send("HTTP/1.1 \(status)\r\n\(target)Content-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"),
          .sendData(bomb),
        ] : [.receiveRequest, .send(Wire.response(status: "404 Not Found"))]
    }
    defer { server.stop() }
    let counting = CountingBytes()
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true)) { configuration in
      configuration.limits = Limits()
      configuration.interceptors = [counting]
    }
    let error = await failure { () async throws(HTTPError) in
      try await client.response(to: Endpoint<Void>.post("/x"))
    }
    #expect(error?.status == (status.hasPrefix("500") ? 500 : 404))
    #expect(error?.body == (status.hasPrefix("302") ? Data("ok".utf8) : Data(count: HTTPError.errorBodyLimit)))
    // What waits for its reader, twice where he came for more meanwhile, and one piece beyond.
    #expect(counting.most < 4 * CurlTransport.Options.defaultBufferedBytes)
  }

  /// Tells how much of bodies was taken from the network.
  private final class CountingBytes: HTTPInterceptor {
    private let taken = Mutex<Int64>(0)
    var most: Int64 { taken.withLock { $0 } }

    func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse {
      try await next(request.with { $0.downloadProgress = { now in self.taken.withLock { $0 = max($0, now.bytes) } } })
    }
  }

  /// A success that is asked for whole is not held back.
  @Test func aSuccessThatIsLarge() async throws {
    let bomb = GzipEncoder.gzip(zeros: 5 << 20)
    let server = try ScriptedServer { _ in
      [
        .receiveRequest,
        .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"), .sendData(bomb),
        .restart,
      ]
    }
    defer { server.stop() }
    for isWhole in [true, false] {
      let request = HTTPRequest(.get, server.url()).with { $0.readsWholeBody = isWhole }
      #expect(try await transport.exchange(request).body == Data(count: 5 << 20))
    }
  }

  @Test func aHeadHasNoBody() async throws {
    let error = await failure { () async throws(HTTPError) in
      try await transport.exchange(HTTPRequest(.head, URL(string: "http://127.0.0.1:9/")!, body: .text("a")))
    }
    #expect(error?.kind == .invalidRequest(.body))
  }

  /// Who reads on after a pause that is longer than a silence may be, is not taken for silent, whatever else happens just
  /// then: many other deadlines pass.
  @Test func aReaderThatReadsOnIsNotSilent() async throws {
    let body = Data(repeating: 7, count: 400_000)
    let head = Data("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
    let server = try ScriptedServer { _ in [.receiveRequest, .sendData(head + body)] }
    let silent = try ScriptedServer { _ in [.stall] }
    defer {
      server.stop()
      silent.stop()
    }
    let transport = CurlTransport.direct { $0.bufferedBytes = 1 }
    let others = Task {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let request = HTTPRequest(.get, silent.url()).with { $0.deadlines.firstByte = .milliseconds(1) }
            while !Task.isCancelled { _ = try? await transport.exchange(request) }
          }
        }
      }
    }
    let response = try await transport.send(
      HTTPRequest(.get, server.url()).with { $0.deadlines.idle = .milliseconds(50) })
    var received = 0
    do {
      for try await piece in response.body {
        received += piece.count
        try await Task.sleep(for: .milliseconds(70))
      }
    } catch {
      Issue.record(error)
    }
    #expect(received == body.count)
    others.cancel()
    await others.value
  }
}

extension HTTPHeaders {
  fileprivate init(_ fields: [(String, String)]) {
    self.init()
    for (name, value) in fields { add(value, for: name) }
  }
}

/// One end of an IPv4 connection of this process.
private struct SocketEnd: CustomStringConvertible {
  let descriptor: Int32
  /// Address and port.
  let own, peer: String

  init?(_ descriptor: Int32) {
    guard let own = SocketEnd.name({ getsockname(descriptor, $0, $1) }),
      let peer = SocketEnd.name({ getpeername(descriptor, $0, $1) })
    else { return nil }
    (self.descriptor, self.own, self.peer) = (descriptor, own, peer)
  }

  var description: String { "\(descriptor): \(own) to \(peer)" }

  static func all() throws -> [SocketEnd] {
    try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").compactMap { Int32($0).flatMap(SocketEnd.init) }
  }

  private static func name(
    _ read: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> String? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutableBytes(of: &address) { bytes in
      read(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
    }
    guard result == 0, address.sin_family == AF_INET else { return nil }
    let bytes = withUnsafeBytes(of: address.sin_addr) { $0.map(String.init).joined(separator: ".") }
    return "\(bytes):\(in_port_t(bigEndian: address.sin_port))"
  }
}
