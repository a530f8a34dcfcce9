import Foundation
import Glibc
import LoopbackServer
import Synchronization
import Testing

@Suite(.serialized) struct LifeTests {
  @Test func aPortInUseIsATypedError() throws {
    let first = try LoopbackServer()
    #expect(throws: LoopbackServerError.portInUse(first.port)) { try LoopbackServer(port: first.port) }
    #expect(LoopbackServerError.portInUse(80).description.contains("Port 80 is in use"))
  }

  @Test func aPortIsFreeAgainAfterStop() throws {
    let first = try LoopbackServer()
    first.stop()
    let second = try LoopbackServer(port: first.port)
    #expect(second.port == first.port)
  }

  @Test func onlyLoopbackIsListenedOn() throws {
    let server = try LoopbackServer()
    let table = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
    let port = String(format: ":%04X", Int(server.port))
    var listening: [String] = []
    for line in table.split(separator: "\n") {
      let fields: [Substring] = line.split(separator: " ")
      if fields.count > 3, fields[1].hasSuffix(port), fields[3] == "0A" { listening.append(String(fields[1])) }
    }
    #expect(listening == ["0100007F\(port)"])
  }

  @Test func stoppingGivesBackThreadsAndDescriptors() throws {
    // Files are what other suites open and close beside this one.
    func descriptors() throws -> Int {
      let folder = "/proc/self/fd/"
      return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
        let what = (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + name)) ?? ""
        return what.hasPrefix("socket:") || what.hasPrefix("anon_inode:") || what.hasPrefix("pipe:")
      }
    }
    func round() throws {
      let server = try LoopbackServer()
      server.route("/events") { _ in .events { _ in } }
      server.route("/hang") { _ in .hang }
      let events = try RawClient(port: server.port)
      events.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
      _ = events.read(until: ":\n\n")
      let hanging = try RawClient(port: server.port)
      hanging.send("GET /hang HTTP/1.1\r\nHost: x\r\n\r\n")
      while server.requestCount("/hang") == 0 { usleep(1_000) }
      server.stop()
    }
    try round()
    let before = try descriptors()
    for _ in 0..<40 { try round() }
    // Others serve, too; a leak would be of at least 40.
    #expect(try descriptors() < before + 40)
  }

  @Test func whatHandlersHoldIsFreedWithTheServer() throws {
    final class Held: Sendable {}
    weak var held: Held?
    do {
      let server = try LoopbackServer()
      let object = Held()
      held = object
      server.route("/") { _ in
        withExtendedLifetime(object) {}
        return .text("")
      }
    }
    #expect(held == nil)
  }
}
