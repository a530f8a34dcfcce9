#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Synchronization

  /// A pool of idle handles: creating one costs more than a small request, and setting its options again a tenth of that.
  final class CurlHandlePool: Sendable {
    /// 128: further idle handles are freed, since a burst may use thousands of transfers.
    private static let capacity = 128

    private struct Idle: @unchecked Sendable {
      // Safe: a handle is here or with one transfer, never both.
      var handles: [CurlHandle] = []
      var isClosed = false
    }

    private let idle = Mutex(Idle())

    deinit { close() }

    /// Returns a handle without options, or with exactly the requested ones.
    func checkOut(_ setting: CurlHandleConfiguration?) throws(HTTPError) -> CurlHandle {
      guard clh_global_init() == 0 else { throw HTTPError(.notSent(.other(code: 2)), delivery: .notSent) }
      if var handle = idle.withLock({ $0.handles.popLast() }) {
        if handle.configuration != setting { handle.reset() }
        return handle
      }
      guard let pointer = curl_easy_init() else { throw HTTPError(.notSent(.other(code: 27)), delivery: .notSent) }
      return CurlHandle(pointer: pointer)
    }

    /// Takes a handle back, and wipes it at once: a request's data (a body, a URL, a header) is kept no longer than it is used.
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

  /// A handle of libcurl, with the options that are set.
  struct CurlHandle: @unchecked Sendable {
    // Safe: the code that takes a handle out of the pool is its only owner.
    let pointer: UnsafeMutableRawPointer
    /// The options that are set; nil for none, or for options of one request.
    var configuration: CurlHandleConfiguration?

    fileprivate mutating func reset() {
      curl_easy_reset(pointer)
      configuration = nil
    }

    /// Removes the data of a single request.
    fileprivate mutating func wipe() {
      guard configuration != nil, clh_set_string(pointer, CURLOPT_URL, nil) == CURLE_OK,
        clh_set_list(pointer, CURLOPT_HTTPHEADER, nil) == CURLE_OK
      else { return reset() }
    }
  }
#endif
