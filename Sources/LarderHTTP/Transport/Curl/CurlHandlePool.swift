#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Synchronization

  /// Handles that are not in use: making one costs more than a small request does.
  final class CurlHandlePool: Sendable {
    /// What would wait without use is given back: a burst of transfers may be of thousands.
    private static let capacity = 128

    private struct Idle: @unchecked Sendable {
      // Safe: a handle is here or with one transfer, never both.
      var handles: [UnsafeMutableRawPointer] = []
      var isClosed = false
    }

    private let idle = Mutex(Idle())

    deinit { close() }

    func take() throws(HTTPError) -> UnsafeMutableRawPointer {
      guard clh_global_init() == 0 else { throw HTTPError(.notSent(.other(code: 2)), delivery: .notSent) }
      if let handle = idle.withLock({ SendableHandle($0.handles.popLast()) }).pointer { return handle }
      guard let handle = curl_easy_init() else { throw HTTPError(.notSent(.other(code: 27)), delivery: .notSent) }
      return handle
    }

    /// It is wiped at once: what it was given (a body, an address, authorities) is kept no longer than it is used.
    func put(_ handle: UnsafeMutableRawPointer) {
      curl_easy_reset(handle)
      let handle = SendableHandle(handle)
      let isKept = idle.withLock { idle in
        guard !idle.isClosed, idle.handles.count < Self.capacity, let pointer = handle.pointer else { return false }
        idle.handles.append(pointer)
        return true
      }
      if !isKept, let pointer = handle.pointer { curl_easy_cleanup(pointer) }
    }

    func close() {
      let handles = idle.withLock { idle in
        idle.isClosed = true
        defer { idle.handles = [] }
        return idle
      }
      for handle in handles.handles { curl_easy_cleanup(handle) }
    }
  }

  /// A handle on its way through a lock.
  private struct SendableHandle: @unchecked Sendable {
    // Safe: whoever takes it out of the pool is its only owner.
    let pointer: UnsafeMutableRawPointer?
    init(_ pointer: UnsafeMutableRawPointer?) { self.pointer = pointer }
  }
#endif
