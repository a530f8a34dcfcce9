import Foundation
import Glibc

/// A socket that reads and writes bytes, to see what a client library hides.
final class RawClient {
  let descriptor: Int32

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafeBytes(of: &address) { bytes in
      connect(descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    // A test that would hang fails instead.
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit {
    close(descriptor)
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Reads until the text is there or the server has closed.
  func read(until end: String) -> String {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !String(decoding: all, as: UTF8.self).contains(end) {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { break }
      all += buffer[..<count]
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Reads until the server has closed; nil if it does not.
  func readToEnd() -> String? {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 { return String(decoding: all, as: UTF8.self) }
      if count < 0 { return errno == ECONNRESET ? String(decoding: all, as: UTF8.self) : nil }
      all += buffer[..<count]
    }
  }
}
