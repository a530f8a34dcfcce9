internal import Foundation
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A connected socket that blocks, and that another thread can end.
final class RawSocket: Sendable {
  private let descriptor: Int32
  private let isShut = Mutex(false)

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var yes: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(descriptor) }

  /// Connects to a port of 127.0.0.1; nil where nobody listens.
  static func connected(to port: UInt16) -> RawSocket? {
    let descriptor = socket(AF_INET, streamType, 0)
    guard descriptor >= 0 else { return nil }
    let socket = RawSocket(descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafeBytes(of: &address) { bytes in
      connect(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    return result == 0 ? socket : nil
  }

  #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
  #else
    private static let streamType = Int32(SOCK_STREAM)
  #endif

  /// What comes next; nil at the end, also of a connection that failed.
  func receive(atMost limit: Int = 65_536) -> Data? {
    var buffer = [UInt8](repeating: 0, count: min(limit, 65_536))
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Data(buffer[..<count]) : nil
  }

  /// False where the peer has gone.
  @discardableResult
  func send(_ data: Data) -> Bool {
    data.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        #if os(Linux)
          let flags = Int32(MSG_NOSIGNAL)
        #else
          let flags: Int32 = 0
        #endif
        guard let start = bytes.baseAddress else { return true }
        #if canImport(Darwin)
          let count = Darwin.send(descriptor, start + sent, bytes.count - sent, flags)
        #elseif canImport(Musl)
          let count = Musl.send(descriptor, start + sent, bytes.count - sent, flags)
        #else
          let count = Glibc.send(descriptor, start + sent, bytes.count - sent, flags)
        #endif
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  /// Nothing more is sent; what the peer sends is still read.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Ends both directions, for whoever waits too.
  func end() {
    isShut.withLock { isShut in
      guard !isShut else { return }
      isShut = true
      shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }

  /// Has the peer told by a reset instead of an end, when the socket is closed.
  func resetOnClose() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
  }

  /// Whether the peer goes within a time; true at once where it has gone.
  func peerGoes(within milliseconds: Int32) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wanted, 1, milliseconds) > 0 else { return false }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) <= 0
  }
}
