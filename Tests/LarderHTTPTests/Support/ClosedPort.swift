import Foundation

/// A port on which nobody listens, and that nobody else is given.
final class ClosedPort {
  let url: URL
  private let descriptor: Int32

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      _ = bind(descriptor, pointer, length)
      _ = getsockname(descriptor, pointer, &length)
    }
    url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")!
  }

  deinit { close(descriptor) }
}
