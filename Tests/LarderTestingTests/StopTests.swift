import Foundation
import Glibc
import LarderTesting
import Testing

/// What is stopped twice.
@Suite struct StopTests {
  private func connects(to port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafeBytes(of: &address) { bytes in
      connect(descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
    }
  }

  @Test func nobodyElseIsStoppedByTheSecondStop() async throws {
    for _ in 0..<10 {
      let server = try ScriptedServer { _ in [.close] }
      let proxy = try FaultProxy(to: server.port) { _ in nil }
      server.stop()
      proxy.stop()
      // Until their threads have closed what they listened on, the numbers of which the next sockets are given.
      try await Task.sleep(for: .milliseconds(20))
      let others = try (0..<4).map { _ in try ScriptedServer { _ in [.close] } }
      server.stop()
      proxy.stop()
      for other in others {
        #expect(connects(to: other.port))
        other.stop()
      }
    }
  }
}
