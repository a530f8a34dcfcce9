import Encoders
import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// Whoever reads a body, and gives it up in the midst of that.
@Suite(.timeLimit(.minutes(2))) struct ReadingTests {
  /// A body of 64 MiB, as it is or compressed.
  private func server(_ coding: String) throws -> ScriptedServer {
    let plain = Data(count: 64 << 20)
    let body = Encoded(rawValue: coding)?.data(plain) ?? plain
    let field = coding == "plain" ? "" : "Content-Encoding: \(coding)\r\n"
    return try ScriptedServer { _ in
      [.receiveRequest, .send("HTTP/1.1 200 OK\r\n\(field)Content-Length: \(body.count)\r\n\r\n"), .sendData(body)]
    }
  }

  private func client(
    _ server: ScriptedServer, _ change: (inout CurlTransport.Options) -> Void = { _ in }
  ) -> HTTPClient {
    var options = CurlTransport.Options()
    options.proxy = .none
    change(&options)
    var configuration = HTTPClient.Configuration()
    configuration.retry = .never
    return HTTPClient(baseURL: server.url(), configuration: configuration, transport: CurlTransport(options: options))
  }

  /// Who is slow finds data each time he asks, and is told all the same.
  @Test(arguments: ["plain", "gzip", "zstd"]) func aSlowReaderIsCancelled(_ coding: String) async throws {
    let server = try server(coding)
    defer { server.stop() }
    let client = client(server)
    let count = Mutex(0)
    let task = Task {
      await failure { () async throws(HTTPError) in
        for try await piece in try await client.stream(.get("/zeros")).body {
          count.withLock { $0 += piece.count }
          usleep(5_000)
          withUnsafeCurrentTask { $0?.cancel() }
        }
      }
    }
    let error = await task.value
    #expect(error?.kind == .cancelled && error?.delivery == .responded)
    // One piece, after which nothing more was wanted.
    #expect(count.withLock { $0 } <= 1 << 20)
  }

  /// The transfer has ended well, and what has come of it is not wanted any more.
  @Test(arguments: ["plain", "gzip"]) func whatIsLetGoOfIsNoEnd(_ coding: String) async throws {
    let server = try server(coding)
    defer { server.stop() }
    let body = try await client(server).stream(.get("/zeros")).body
    var pieces = body.makeAsyncIterator()
    _ = try await pieces.next()
    body.cancel()
    let error = await failure { () async throws(HTTPError) in try await pieces.next() }
    #expect(error?.kind == .cancelled)
  }

  @Test func whatIsThereAlreadyIsNoEndEither() async throws {
    let body = ResponseBody(Data("all".utf8))
    body.cancel()
    let error = await failure { () async throws(HTTPError) in try await body.collect() }
    #expect(error?.kind == .cancelled)
    let read = ResponseBody(Data("all".utf8))
    #expect(try await read.collect() == Data("all".utf8))
    read.cancel()
    #expect(try await read.collect() == Data())
  }

  /// A body is read by one task. Another one is told, and does not wait for ever.
  @Test(arguments: [nil, "gzip"]) func twoReaders(_ coding: String?) async throws {
    let server = try ScriptedServer { _ in
      let field = coding.map { "Content-Encoding: \($0)\r\n" } ?? ""
      return [.receiveRequest, .send("HTTP/1.1 200 OK\r\n\(field)Content-Length: 9\r\n\r\n"), .stall]
    }
    defer { server.stop() }
    let body = try await client(server).stream(.get("/x")).body
    await withTaskGroup(of: HTTPError?.self) { group in
      for _ in 0..<2 {
        group.addTask { await failure { () async throws(HTTPError) in for try await _ in body {} } }
      }
      // One of them is told at once; the other one waits until it is let go of.
      #expect(await group.next()??.kind == .cancelled)
      body.cancel()
      #expect(await group.next()??.kind == .cancelled)
    }
  }

  /// Of a refusal whose compression has ended, and which goes on, little is read.
  @Test(arguments: [500, 404]) func aRefusalWithoutEnd(_ status: Int) async throws {
    let problem = Encoded.gzip.data(Data("{}".utf8))
    let sent = Mutex(0)
    let server = try ScriptedServer { _ in
      [
        .receiveRequest, .send("HTTP/1.1 \(status) No\r\nContent-Encoding: gzip\r\n\r\n"), .sendData(problem),
        .sendEach {
          sent.withLock { $0 += 64 << 10 }
          return Data(count: 64 << 10)
        },
      ]
    }
    defer { server.stop() }
    let error = await failure { () async throws(HTTPError) in try await client(server).stream(.get("/x")) }
    #expect(error?.status == status && error?.body == Data("{}".utf8))
    // What the connection holds comes to it.
    #expect(sent.withLock { $0 } < 32 << 20)
  }

  /// Nor is a success read without end of which nothing becomes any more.
  @Test func aSuccessWithoutEnd() async throws {
    let body = Encoded.gzip.data(Data("{}".utf8))
    let server = try ScriptedServer { _ in
      [
        .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"), .sendData(body),
        .sendEach { Data(count: 64 << 10) },
      ]
    }
    defer { server.stop() }
    let error = await failure { () async throws(HTTPError) in
      for try await _ in try await client(server).stream(.get("/x")).body {}
    }
    #expect(error?.kind == .interrupted(.compression) && error?.metrics?.bodyBytes == 2)
  }

  /// What says that it is not encoded has the limits of what is not.
  @Test(arguments: ["identity", "", " , ", "gzip"]) func aLimitHoldsHoweverItIsEncoded(_ coding: String) async throws {
    let plain = Data(count: 1 << 20)
    let body = coding == "gzip" ? Encoded.gzip.data(plain) : plain
    let server = try ScriptedServer { _ in
      [
        .receiveRequest,
        .send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"),
        .sendData(body),
      ]
    }
    defer { server.stop() }
    let endpoint = Endpoint<Void>.get("/x").with { $0.limits = Limits(body: .max, decompressedBody: 1_000) }
    let error = await failure { () async throws(HTTPError) in
      for try await _ in try await client(server).stream(endpoint).body {}
    }
    #expect(error?.kind == .tooLarge(.decompressedBody(limit: 1_000)))
  }

  /// The total is of the decoding, too.
  @Test func aDeadlineThatPassesWhileItIsDecoded() async throws {
    let server = try server("zstd")
    defer { server.stop() }
    let endpoint = Endpoint<Void>.get("/zeros").with { $0.deadlines = Deadlines(total: .milliseconds(300)) }
    let error = await failure { () async throws(HTTPError) in
      for try await _ in try await client(server).stream(endpoint).body { usleep(2_000) }
    }
    #expect(error?.kind == .deadline(.total) && error?.delivery == .responded)
  }

  /// No room at all is room for one piece.
  @Test func noBuffer() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.response("hello"))] }
    defer { server.stop() }
    var whole = Data()
    for try await piece in try await client(server, { $0.bufferedBytes = 0 }).stream(.get("/x")).body { whole += piece }
    #expect(whole == Data("hello".utf8))
  }
}
