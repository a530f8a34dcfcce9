import Foundation
import Glibc
import LarderTesting
import Testing

/// A socket that reads and writes bytes.
private final class Client {
  private let descriptor: Int32

  init(port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    _ = withUnsafeBytes(of: &address) { bytes in
      connect(descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// What comes until the end, and how it ends: 0, or the number of an error.
  func rest(atMost limit: Int = .max) -> (String, Int32) {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while all.count < limit {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { return (String(decoding: all, as: UTF8.self), count < 0 ? errno : 0) }
      all += buffer[..<count]
    }
    return (String(decoding: all, as: UTF8.self), 0)
  }
}

@Suite struct ScriptedServerTests {
  @Test func requestsAreNoted() throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .send("one"), .receiveRequest, .send("two")] }
    defer { server.stop() }
    let client = Client(port: server.port)
    client.send("PUT /a?b=%20 HTTP/1.1\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 3\r\n\r\nabcPOST /c HTTP/1.1\r\n")
    client.send("Transfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1;x=y\r\nf\r\n0\r\n\r\n")
    #expect(client.rest(atMost: 6).0 == "onetwo")
    let requests = server.requests
    #expect(requests.map(\.method) == ["PUT", "POST"])
    #expect(requests.map(\.target) == ["/a?b=%20", "/c"])
    #expect(requests.map(\.body) == [Data("abc".utf8), Data("def".utf8)])
    #expect(requests[0].headers["x-a"] == "1, 2")
  }

  @Test func endsAndResets() throws {
    let server = try ScriptedServer { number in
      [.receiveHead, .send("part")] + (number == 0 ? [.reset] : [])
    }
    defer { server.stop() }
    let first = Client(port: server.port)
    first.send("GET / HTTP/1.1\r\n\r\n")
    #expect(first.rest().1 == ECONNRESET)
    let second = Client(port: server.port)
    second.send("GET / HTTP/1.1\r\n\r\n")
    #expect(second.rest() == ("part", 0))
    #expect(server.connectionCount == 2)
  }

  @Test func aDripIsWhole() throws {
    let server = try ScriptedServer { _ in [.drip(Data("abcdefg".utf8), portion: 2, pause: .milliseconds(1))] }
    defer { server.stop() }
    #expect(Client(port: server.port).rest() == ("abcdefg", 0))
  }

  @Test func stoppingEndsWhatStalls() throws {
    let server = try ScriptedServer { _ in [.send("x"), .stall] }
    let client = Client(port: server.port)
    #expect(client.rest(atMost: 1).0 == "x")
    server.stop()
    #expect(client.rest().0 == "")
  }

  @Test func aProxyFailsAtTheByteThatIsChosen() throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .send("0123456789")] }
    defer { server.stop() }
    let kinds: [FaultProxy.Fault?] = [
      nil, .init(.close, at: 4, .toClient), .init(.reset, at: 4, .toClient), .init(.close, at: 10, .toClient),
      .init(.drip(portion: 1, pause: .milliseconds(1)), at: 3, .toClient), .init(.close, at: 5, .toServer),
    ]
    let proxy = try FaultProxy(to: server.port) { kinds[$0] }
    defer { proxy.stop() }
    func ask() -> (String, Int32) {
      let client = Client(port: proxy.port)
      client.send("GET / HTTP/1.1\r\n\r\n")
      return client.rest()
    }
    #expect(ask() == ("0123456789", 0))
    #expect(ask() == ("0123", 0))
    #expect(ask().1 == ECONNRESET)
    #expect(ask().0 == "0123456789")
    #expect(ask() == ("0123456789", 0))
    #expect(ask().0 == "")
    #expect(server.requests.count == 5)
  }

  /// What a client sends, and what a test gives, may be no number that there can be of anything.
  @Test func numbersThatAreNone() throws {
    let server = try ScriptedServer { number in
      number < 3
        ? [.receiveRequest, .send("read")]
        : [.receive(bytes: -1), .drip(Data("drip".utf8), portion: number == 3 ? -1 : 0, pause: .zero)]
    }
    defer { server.stop() }
    func ask(_ fields: String) -> String {
      let client = Client(port: server.port)
      client.send("POST / HTTP/1.1\r\n\(fields)\r\n\r\n")
      return client.rest().0
    }
    for length in ["-5", "a", "99999999999999999999"] { #expect(ask("Content-Length: \(length)") == "") }
    #expect(server.requests.isEmpty)
    for _ in 0..<2 { #expect(ask("A: 1") == "drip") }
    #expect(FaultProxy.Fault(.close, at: -1, .toClient).offset == 0)
    let faults = try FaultServer(
      faults: .script([
        .wrongContentLength(by: .max), .wrongContentLength(by: .min), .slowDrip(portion: -1, pause: .zero),
      ])
    ) { _ in .text("body") }
    defer { faults.stop() }
    func answer() -> String {
      let client = Client(port: faults.port)
      client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
      return client.rest().0
    }
    #expect(answer().contains("Content-Length: \(Int.max)\r\n"))
    #expect(answer().contains("Content-Length: 0\r\n"))
    #expect(answer().hasSuffix("\r\n\r\nbody"))
  }

  /// Whoever stops a server does not wait for what it waits for.
  @Test(.timeLimit(.minutes(1))) func stoppingEndsWaiting() throws {
    let server = try ScriptedServer { number in
      number == 0 ? [.wait(.seconds(3_600))] : [.drip(Data("ab".utf8), portion: 1, pause: .seconds(3_600))]
    }
    let clients = [Client(port: server.port), Client(port: server.port)]
    while server.connectionCount < 2 { usleep(1_000) }
    usleep(100_000)
    server.stop()
    while server.openConnectionCount > 0 { usleep(1_000) }
    _ = clients
  }

  @Test func faultsBySeedAreTheSame() {
    let range = 0..<1_000
    func faults(_ seed: UInt64) -> [FaultProxy.Fault?] {
      (0..<500).map(FaultProxy.faults(seed: seed, share: 0.5, within: range))
    }
    #expect(faults(7) == faults(7) && faults(7) != faults(8))
    let some = faults(7).compactMap { $0 }
    #expect((200..<300).contains(some.count) && some.allSatisfy { range.contains($0.offset) })
  }

  @Test func certificatesDiffer() throws {
    let authority = try TestCertificateAuthority()
    let first = try authority.identity()
    let second = try authority.identity(hosts: ["example.org", "::1"])
    #expect(first.publicKeySHA256 != second.publicKeySHA256 && first.publicKeySHA256.count == 32)
    #expect(String(decoding: first.certificate, as: UTF8.self).hasPrefix("-----BEGIN CERTIFICATE-----"))
    #expect(throws: TestCertificateError.self) { try authority.identity(hosts: [""]) }
  }
}
