public import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A reserved port of 127.0.0.1 without a listener: every connection is refused, and no other process receives the port.
///
/// ```swift
/// let closed = try ClosedPort()
/// let client = HTTPClient(baseURL: closed.url)
/// // Every request fails with .notSent(.refused).
/// ```
public final class ClosedPort: Sendable {
  /// The URL whose connections are refused.
  public let url: URL
  private let descriptor: Int32

  /// Reserves a port.
  ///
  /// - Throws: ``LoopbackServerError`` if the system has no free port.
  public init() throws(LoopbackServerError) {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = Int32(SOCK_STREAM)
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { throw .system(errno: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // Binding reserves the port; nothing listens on it.
    let isBound = withUnsafeMutableBytes(of: &address) { bytes in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
    }
    guard isBound, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
      let error = errno
      close(descriptor)
      throw .system(errno: error)
    }
    self.descriptor = descriptor
    self.url = url
  }

  /// Returns the URL of a path at this port, like a server's `url(_:)`.
  ///
  /// ```swift
  /// let next = closed.url("/v1/payments?page=2")
  /// ```
  ///
  /// - Parameter path: The path, beginning with a slash; it may have a query.
  public func url(_ path: String) -> URL {
    URL(string: url.absoluteString + path) ?? url
  }

  deinit { close(descriptor) }
}
