internal import Foundation
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A connected, blocking socket that another thread can end.
final class RawSocket: Sendable {
  private let descriptor: Int32
  private enum Ending {
    case open, reset, ended
  }

  private let ending = Mutex(Ending.open)
  /// The TLS connection. The thread that uses the socket sets it before it reads or writes.
  private let tls = Mutex<TLSConnection?>(nil)

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var yes: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(descriptor) }

  /// Starts TLS. Returns `false` if the handshake fails.
  func startTLS(by server: TLSServerContext) -> Bool {
    let connection = server.accept(descriptor)
    tls.withLock { $0 = connection }
    return connection != nil
  }

  /// Connects to a port of 127.0.0.1. Returns `nil` if no process listens there. If too many files are open, waits and retries.
  ///
  /// - Parameter isStopped: Whether the connection is no longer needed.
  static func openConnection(to port: UInt16, until isStopped: () -> Bool) -> RawSocket? {
    var descriptor = socket(AF_INET, streamType, 0)
    while descriptor < 0, errno == EMFILE || errno == ENFILE, !isStopped() {
      usleep(10_000)
      descriptor = socket(AF_INET, streamType, 0)
    }
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let socket = RawSocket(descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafeBytes(of: &address) { bytes in
      connect(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    return result == 0 || errno == EINTR && socket.finishConnecting() ? socket : nil
  }

  /// Completes a connection attempt that a signal has interrupted; the system continues the attempt.
  private func finishConnecting() -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while poll(&wanted, 1, -1) < 0, errno == EINTR {}
    var (error, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0
  }

  #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
  #else
    private static let streamType = Int32(SOCK_STREAM)
  #endif

  /// Returns the next bytes, or `nil` at the end or if the connection has failed.
  func receive(atMost limit: Int = 65_536) -> Data? {
    var buffer = [UInt8](repeating: 0, count: min(limit, 65_536))
    var count: Int
    if let connection = tls.withLock({ $0 }) {
      count = buffer.withUnsafeMutableBytes { connection.read(into: $0) }
    } else {
      repeat { count = recv(descriptor, &buffer, buffer.count, 0) } while count < 0 && errno == EINTR
    }
    return count > 0 ? Data(buffer[..<count]) : nil
  }

  /// Sends bytes. Returns `false` if the peer has disconnected.
  @discardableResult
  func send(_ data: Data) -> Bool {
    let connection = tls.withLock { $0 }
    return data.withUnsafeBytes { bytes in
      if let connection { return connection.write(bytes) }
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
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  /// Ends sending. Bytes from the peer can still be read.
  func shutDownSending() {
    guard ending.withLock({ $0 == .open }) else { return }
    tls.withLock { $0 }?.finish()
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Ends both directions, also for threads that are blocked on the socket.
  func shutDown() {
    ending.withLock { ending in
      guard ending != .ended else { return }
      // A socket that is to be reset must not announce a regular end.
      shutdown(descriptor, ending == .reset ? Int32(SHUT_RD) : Self.bothDirections)
      ending = .ended
    }
  }

  /// SHUT_RDWR, which has this value on every platform; some C importers do not see its name.
  private static let bothDirections: Int32 = 2

  /// Makes the later close of the socket reset the connection instead of ending it.
  func resetOnClose() {
    ending.withLock { $0 = .reset }
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
  }

  /// Returns whether the peer disconnects within a time, at once if it already has.
  func peerCloses(within milliseconds: Int32) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wanted, 1, milliseconds) > 0 else { return false }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) <= 0
  }
}
