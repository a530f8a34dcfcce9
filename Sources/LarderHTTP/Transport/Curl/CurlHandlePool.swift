#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Synchronization

  /// Handles that are not in use: making one costs more than a small request does, and setting one anew a tenth of it.
  final class CurlHandlePool: Sendable {
    /// What would wait without use is given back: a burst of transfers may be of thousands.
    private static let capacity = 128

    private struct Idle: @unchecked Sendable {
      // Safe: a handle is here or with one transfer, never both.
      var handles: [CurlHandle] = []
      var isClosed = false
    }

    private let idle = Mutex(Idle())

    deinit { close() }

    /// A handle that is set to nothing, or to what is asked for.
    func checkOut(_ setting: CurlHandleConfiguration?) throws(HTTPError) -> CurlHandle {
      guard clh_global_init() == 0 else { throw HTTPError(.notSent(.other(code: 2)), delivery: .notSent) }
      if var handle = idle.withLock({ $0.handles.popLast() }) {
        if handle.configuration != setting { handle.reset() }
        return handle
      }
      guard let pointer = curl_easy_init() else { throw HTTPError(.notSent(.other(code: 27)), delivery: .notSent) }
      return CurlHandle(pointer: pointer)
    }

    /// It is wiped at once: what it was given (a body, an address, a header) is kept no longer than it is used.
    func checkIn(_ handle: CurlHandle) {
      var handle = handle
      handle.wipe()
      let isKept = idle.withLock { [handle] idle in
        guard !idle.isClosed, idle.handles.count < Self.capacity else { return false }
        idle.handles.append(handle)
        return true
      }
      if !isKept { curl_easy_cleanup(handle.pointer) }
    }

    func close() {
      let handles = idle.withLock { idle in
        idle.isClosed = true
        defer { idle.handles = [] }
        return idle
      }
      for handle in handles.handles { curl_easy_cleanup(handle.pointer) }
    }
  }

  /// One of libcurl's handles, and what it is set to.
  struct CurlHandle: @unchecked Sendable {
    // Safe: whoever takes it out of the pool is its only owner.
    let pointer: UnsafeMutableRawPointer
    /// Nil where it is set to nothing, or to what no other request wants.
    var configuration: CurlHandleConfiguration?

    fileprivate mutating func reset() {
      curl_easy_reset(pointer)
      configuration = nil
    }

    /// Takes out what is of one request alone.
    fileprivate mutating func wipe() {
      guard configuration != nil, clh_set_string(pointer, CURLOPT_URL, nil) == CURLE_OK,
        clh_set_list(pointer, CURLOPT_HTTPHEADER, nil) == CURLE_OK
      else { return reset() }
    }
  }
#endif
