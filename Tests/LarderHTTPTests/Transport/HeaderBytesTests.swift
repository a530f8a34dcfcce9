import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// Values of fields that are not UTF-8 (RFC 9110, section 5.5).
@Suite(.timeLimit(.minutes(1))) struct HeaderBytesTests {
  private static func head(_ first: String, _ field: Data, _ length: Int = 2) -> Data {
    Data("HTTP/1.1 \(first)\r\n".utf8) + field + Data("\r\nContent-Length: \(length)\r\n\r\n".utf8)
  }

  private func client(_ server: ScriptedServer) -> HTTPClient {
    .ofFaults(server.url(), clock: TestClock(advancesAutomatically: true))
  }

  @Test func theirBytesAreKept() async throws {
    let value = Data("attachment; filename=\"caf".utf8) + [0xE9, 0x22]
    let server = try ScriptedServer { _ in
      [
        .receiveRequest, .sendData(Self.head("200 OK", Data("Content-Disposition: ".utf8) + value)), .send("[]"),
        .restart,
      ]
    }
    defer { server.stop() }
    let response = try await client(server).response(to: .get("/x"))
    #expect(response.headers["Content-Disposition"] == "attachment; filename=\"café\"")
    let field = try #require(response.headers.fields.first { $0.name == "Content-Disposition" })
    #expect(Data(field.bytes) == value)
    // They are sent as they came.
    let request = HTTPRequest(.get, server.url("/y")).with { $0.headers.add(field) }
    _ = try await client(server).response(to: request)
    // The server of the tests reads them as UTF-8.
    #expect(server.requests.last?.headers["content-disposition"] == String(decoding: value, as: UTF8.self))
  }

  /// What is UTF-8 is read as that.
  @Test func textIsRead() async throws {
    let server = try ScriptedServer { _ in
      [.receiveRequest, .sendData(Self.head("200 OK", Data("X-Name: café 日本".utf8))), .send("[]"), .restart]
    }
    defer { server.stop() }
    let response = try await client(server).response(to: .get("/x"))
    #expect(response.headers["X-Name"] == "café 日本")
  }

  @Test func aLocationLeadsWhereItsBytesSay() async throws {
    let server = try ScriptedServer { _ in
      [
        .receiveRequest,
        .respond { request in
          request.target == "/old"
            ? [.sendData(Self.head("301 Moved", Data("Location: /caf".utf8) + [0xE9] + Data("?q=".utf8) + [0xFC], 0))]
            : [.send(Wire.json("[]"))]
        }, .restart,
      ]
    }
    defer { server.stop() }
    _ = try await client(server).response(to: .get("/old"))
    #expect(server.requests.map(\.target) == ["/old", "/caf%E9?q=%FC"])
  }

  @Test func aLinkLeadsWhereItsBytesSay() async throws {
    let server = try ScriptedServer { _ in
      [
        .receiveRequest, .sendData(Self.head("200 OK", Data("Link: </p".utf8) + [0xE9] + Data(">; rel=next".utf8))),
        .send("[]"),
      ]
    }
    defer { server.stop() }
    let response = try await client(server).response(to: .get("/x"))
    #expect(response.head.links["next"]?.target.path(percentEncoded: true) == "/p%E9")
  }

  /// An entity tag goes back as it came, also when it was stored meanwhile.
  @Test func anEntityTagGoesBackAsItCame() async throws {
    let tag = Data([0x22, 0xE9, 0x22])
    let server = try ScriptedServer { _ in
      [
        .receiveRequest,
        .respond { request in
          let isSame = request.headers["if-none-match"] == String(decoding: tag, as: UTF8.self)
          return isSame
            ? [.sendData(Self.head("304 Not Modified", Data("ETag: ".utf8) + tag, 0))]
            : [
              .sendData(Self.head("200 OK\r\nContent-Type: application/json", Data("ETag: ".utf8) + tag)), .send("[]"),
            ]
        }, .restart,
      ]
    }
    defer { server.stop() }
    let client = client(server)
    guard
      case .changed(_, let first?) = try await client.refresh(.get("/x"), as: [Int].self, since: nil)
    else {
      Issue.record("not changed")
      return
    }
    let stored = try JSONDecoder().decode(Validators.self, from: JSONEncoder().encode(first))
    #expect(stored == first && stored.entityTag == "\"é\"")
    for _ in 0..<2 {
      guard case .unchanged(let next) = try await client.refresh(.get("/x"), as: [Int].self, since: stored) else {
        Issue.record("changed")
        return
      }
      #expect(next == stored)
    }
  }

  /// Validators that were stored before are read.
  @Test func formerValidatorsAreRead() throws {
    let text = #"{"entityTag":"\"1\"","fetched":0,"scope":"","fingerprint":1,"varying":[]}"#
    let validators = try JSONDecoder().decode(Validators.self, from: Data(text.utf8))
    #expect(validators.entityTag == "\"1\"")
  }
}
