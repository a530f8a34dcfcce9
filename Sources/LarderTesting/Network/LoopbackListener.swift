internal import CLoopbackServer
internal import Foundation
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A socket on 127.0.0.1 that accepts connections on a thread of its own.
final class LoopbackListener: Sendable {
  /// The port on which the socket listens.
  let port: UInt16
  private let descriptor: Int32
  private let isClosed = Mutex(false)

  /// Opens a listening socket.
  ///
  /// - Parameter port: The port; 0 for any free port.
  /// - Throws: ``LoopbackServerError`` if the port is not available.
  init(port: UInt16 = 0) throws(LoopbackServerError) {
    var chosen: UInt16 = 0
    descriptor = clb_listen(port, &chosen)
    if -descriptor == EADDRINUSE { throw .portInUse(port) }
    guard descriptor >= 0 else { throw .system(errno: -descriptor) }
    self.port = chosen
  }

  /// Passes each connection to the body, one after the other, until ``stop()``.
  ///
  /// - Parameter body: A closure that returns at once. The listener holds it, with its captures, until ``stop()``.
  func accept(_ body: @escaping @Sendable (RawSocket) -> Void) {
    Thread.detachNewThread { [self] in
      while true {
        let connection = clb_accept(descriptor)
        guard connection >= 0 else { break }
        body(RawSocket(connection))
      }
      // Under the lock: after the close, the descriptor's number may belong to another socket.
      isClosed.withLock { isClosed in
        close(descriptor)
        isClosed = true
      }
    }
  }

  /// Stops accepting connections.
  func stop() {
    isClosed.withLock { isClosed in
      if !isClosed { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }
}
