import Foundation
import LarderTesting

/// A server that sends portions for as long as they are taken, and tells of each.
final class LoopbackStream: Sendable {
  private let total: Int
  private let portion: Data
  private let told: @Sendable () -> Void

  init(total: Int, portion: Data, told: @escaping @Sendable () -> Void) {
    self.total = total
    self.portion = portion
    self.told = told
  }

  /// The port that it listens on, for one connection.
  func start() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      _ = bind(descriptor, pointer, length)
      _ = listen(descriptor, 4)
      _ = getsockname(descriptor, pointer, &length)
    }
    Thread.detachNewThread { [self] in
      let client = accept(descriptor, nil, nil)
      var buffer = [UInt8](repeating: 0, count: 4_096)
      _ = recv(client, &buffer, buffer.count, 0)
      let head = Data("HTTP/1.1 200 OK\r\nContent-Length: \(total * portion.count)\r\n\r\n".utf8)
      for part in [head] + Array(repeating: portion, count: total) {
        var sent = 0
        while sent < part.count {
          let count = part.withUnsafeBytes {
            send(client, $0.baseAddress! + sent, part.count - sent, Int32(MSG_NOSIGNAL))
          }
          guard count > 0 else { break }
          sent += count
        }
        if part.count == portion.count { told() }
      }
      close(client)
      close(descriptor)
    }
    return UInt16(bigEndian: address.sin_port)
  }
}
