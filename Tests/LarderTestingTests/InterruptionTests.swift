#if os(Linux)
  import Foundation
  import Glibc
  import LarderTesting
  import Testing

  /// What the system interrupts goes on: a signal that some tool sends to every thread, and files that ran out for a while.
  @Suite struct InterruptionTests {
    @Test func signalsEndNoServer() async {
      // In a process of its own: every thread is interrupted. Few signals get through to one that runs tests, or was begun by
      // such: what profilers and reports of crashes send does.
      await #expect(processExitsWith: .success) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        try #require(sigaction(SIGPROF, &action, nil) == 0)
        let server = try ScriptedServer { _ in [.receiveRequest, .send("answer")] }
        let relay = try FaultProxy(to: server.port) { _ in nil }
        let authority = try TestCertificateAuthority()
        let secure = try ScriptedServer(identity: authority.identity()) { _ in
          [.receiveRequest, .send("HTTP/1.1 204 No Content\r\n\r\n")]
        }
        for round in 0..<20 {
          // Some of them wait for a connection, and some for what comes on one.
          let clients = try [server.port, relay.port].map { try Connection(to: $0) }
          try Self.interruptEveryThread(SIGPROF)
          for client in clients { client.send("GET /\(round) HTTP/1.1\r\nContent-Length: 2\r\n\r\n") }
          try Self.interruptEveryThread(SIGPROF)
          for client in clients {
            client.send("ab")
            #expect(client.rest() == "answer")
          }
        }
        #expect(server.requests.count == 40 && relay.connectionCount == 20)
        // Within a handshake, too.
        let client = try Connection(to: secure.port)
        while secure.openConnectionCount == 0 { usleep(1_000) }
        for _ in 0..<20 { try Self.interruptEveryThread(SIGPROF) }
        #expect(secure.openConnectionCount == 1)
        client.send("no TLS")
        _ = client.rest()
        server.stop()
        relay.stop()
        secure.stop()
      }
    }

    @Test func aServerWaitsForRoom() async {
      await #expect(processExitsWith: .success) {
        let server = try ScriptedServer { _ in [.receiveRequest, .send("answer")] }
        let relay = try FaultProxy(to: server.port) { _ in nil }
        let other = try ScriptedServer { _ in [.receiveRequest] }
        let clients = try (0..<6).map { _ in try Connection(to: nil) }
        let others = try [Connection(to: other.port), Connection(to: nil)]
        while other.connectionCount < 1 { usleep(1_000) }
        usleep(20_000)
        // Nothing more can be opened from here on. The kernel makes the connections, and nobody can accept them, but for the
        // first: a number was set aside for it, where somebody waits for it already.
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let former = limit.rlim_cur
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int.init)
        limit.rlim_cur = rlim_t(try #require(files.max())) + 1
        var taken: [Int32] = []
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        while true {
          let descriptor = dup(0)
          if descriptor < 0 { break }
          taken.append(descriptor)
        }
        // One that waits for room when it is stopped gives back what it has: two connections and what it listens on.
        try others[1].connect(to: other.port)
        while other.connectionCount < 2 { usleep(1_000) }
        usleep(20_000)
        other.stop()
        for _ in 0..<3 {
          var descriptor = dup(0)
          for _ in 0..<500 where descriptor < 0 {
            usleep(10_000)
            descriptor = dup(0)
          }
          #expect(descriptor >= 0)
          taken.append(descriptor)
        }
        for (place, client) in clients.enumerated() {
          try client.connect(to: place < 3 ? server.port : relay.port)
          client.send("GET / HTTP/1.1\r\n\r\n")
        }
        usleep(50_000)
        #expect(server.connectionCount < 2)
        for descriptor in taken { close(descriptor) }
        limit.rlim_cur = former
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        for client in clients { #expect(client.rest() == "answer") }
        relay.stop()
        server.stop()
      }
    }

    private static func interruptEveryThread(_ signal: Int32) throws {
      typealias Tell = @convention(c) (Int32, Int32, Int32) -> Int32
      // Not seen from Swift by its name.
      let tgkill = unsafeBitCast(try #require(dlsym(nil, "tgkill")), to: Tell.self)
      usleep(2_000)
      for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap(Int32.init) {
        _ = tgkill(getpid(), thread, signal)
      }
      usleep(2_000)
    }
  }

  /// A connection of a client that signals do not disturb, either.
  private final class Connection {
    private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

    init(to port: UInt16?) throws { if let port { try connect(to: port) } }
    deinit { close(descriptor) }

    func connect(to port: UInt16) throws {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let result = withUnsafeBytes(of: &address) { bytes in
        Glibc.connect(descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
      }
      try #require(result == 0, "\(errno)")
    }

    func send(_ text: String) {
      let bytes = Array(text.utf8)
      _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// What comes until the end.
    func rest() -> String {
      var all: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return String(decoding: all, as: UTF8.self) }
        all += buffer[..<count]
      }
    }
  }
#endif
