#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Foundation
  internal import Synchronization

  /// One exchange: created on the caller's task, run by the loop's thread, read by one task.
  ///
  /// State that both sides access is in ``SharedState``, behind a mutex that is held only briefly.
  final class CurlTransfer: ResponseBodySource, @unchecked Sendable {
    // Safe to share: the properties under "State of the loop's thread" are accessed by the caller before it adds the transfer to
    // the loop, and after that by the loop's thread alone.

    struct SharedState {
      var head: RawResponseHead?
      /// Received bytes that were not read yet.
      var incoming = Data()
      var isReceivingPaused = false
      /// Whether the reader has continued, and the thread has not handled that yet.
      var isReceiveResumePending = false
      var result: Result<HTTPMetrics, HTTPError>?
      var headWaiter: UnsafeContinuation<Result<RawResponseHead, HTTPError>, Never>?
      var chunkWaiter: UnsafeContinuation<Result<Data?, HTTPError>, Never>?
      /// Whether the request may have been sent; from then on the server may have received it.
      var hasStartedSending = false
      var uploadBuffer = UploadBuffer()
    }

    enum Phase {
      case connecting, sending, waiting, receiving
    }

    let request: HTTPRequest
    /// The length of the request's body, if it is known.
    let uploadLength: Int64?
    let loop: CurlEventLoop
    let shared: Mutex<SharedState>

    // MARK: State of the loop's thread
    //
    // The properties that each piece of data accesses have no checks for overlapping access: no access lasts while a user's code
    // runs.

    private(set) var handle: UnsafeMutableRawPointer?
    /// The options of the handle that plain requests share.
    private let configuration: CurlHandleConfiguration?
    let deadlines: DeadlinesInNanoseconds
    var headerList: UnsafeMutablePointer<curl_slist>?
    /// The index among the loop's transfers, while the transfer is one of them.
    var activeIndex: Int?
    var isNotificationScheduled = false
    @exclusivity(unchecked) var phase = Phase.connecting
    /// An error of this side, which libcurl knows only as an aborted callback.
    var localError: HTTPError?
    @exclusivity(unchecked) var headParser = ResponseHeadParser()
    /// The number of bytes of the body received so far.
    @exclusivity(unchecked) var receivedBytes: Int64 = 0
    /// Whether a body follows the head.
    var hasBody = true
    /// The decoding of the body by its reader, if there is any; set before the head is published.
    var decoding: ContentDecoding?
    var uploadedBytes: Int64 = 0
    @exclusivity(unchecked) private(set) var startedAt: Int64 = 0
    @exclusivity(unchecked) private var requestCompleteAt: Int64 = 0
    @exclusivity(unchecked) private var lastActivity: Int64 = 0
    private var sendCount = 0
    /// Whether the server has reported the request's stream as not processed (HTTP/2).
    var wasNotProcessed = false
    private var uploadTask: Task<Void, Never>?

    init(_ request: HTTPRequest, loop: CurlEventLoop) throws(HTTPError) {
      self.request = request
      uploadLength = request.body?.length
      self.loop = loop
      shared = Mutex(SharedState(incoming: Data(capacity: Self.sizeOfSmallBody)))
      configuration = CurlHandleConfiguration(request, loop.options)
      deadlines = DeadlinesInNanoseconds(request.deadlines)
      let taken = try loop.checkOutHandle(configuration)
      handle = taken.pointer
      do {
        try configure(taken, options: loop.options)
      } catch {
        releaseUnstarted()
        throw error
      }
    }

    /// Frees the resources of a transfer that the loop did not accept.
    func releaseUnstarted() {
      if let handle { loop.checkInHandle(CurlHandle(pointer: handle)) }
      handle = nil
      freeHeaders()
    }

    /// Returns the handle for later transfers; it keeps its options after a success.
    func reusableHandle(after result: Result<HTTPMetrics, HTTPError>) -> CurlHandle? {
      handle.map { pointer in
        guard case .success = result else { return CurlHandle(pointer: pointer) }
        return CurlHandle(pointer: pointer, configuration: configuration)
      }
    }

    private func freeHeaders() {
      curl_slist_free_all(headerList)
      headerList = nil
    }

    /// 1 KiB: each request allocates this much in advance.
    fileprivate static let sizeOfSmallBody = 1 << 10

    // Mostly on the task that has allocated them: freeing memory of another thread makes both threads wait for each other, and
    // the loop's thread serves all transfers. For the same reason that thread finds memory for a small response.
    deinit { freeHeaders() }

    // MARK: - The loop's thread

    /// Returns the handle to add, or nil if the transfer was cancelled before.
    func start(at time: Int64) -> UnsafeMutableRawPointer? {
      guard shared.withLock({ $0.result == nil }) else { return nil }
      startedAt = time
      lastActivity = time
      return handle
    }

    /// Prepares for sending the request on an established connection; false aborts the transfer.
    func prepareToSend() -> Bool {
      sendCount += 1
      // If an idle connection was closed before a response, libcurl sends the request again by itself, whatever its method. The
      // server may have processed the first one: the decision is the client's.
      guard sendCount == 1 else {
        let (reason, delivery) = resendReason
        localError = HTTPError(HTTPError.Kind(reason, delivery), delivery: delivery)
        return false
      }
      let isWanted = shared.withLock { shared in
        guard shared.result == nil else { return false }
        shared.hasStartedSending = true
        return true
      }
      guard isWanted else { return false }
      checkReportOnlyPins()
      phase = .sending
      recordActivity()
      // For a body of no bytes libcurl does not call the read function.
      if request.body == nil || isBodyInline || uploadLength == 0 {
        completeRequest()
      } else {
        loop.scheduleDeadline(of: self)
        startFeeding()
      }
      return true
    }

    func completeRequest() {
      if phase == .sending { beginWaitingForResponse() }
    }

    /// Starts the deadline of the first byte, now.
    func beginWaitingForResponse() {
      phase = .waiting
      requestCompleteAt = loop.now
      loop.scheduleDeadline(of: self)
    }

    func recordActivity() { lastActivity = loop.now }

    private func startFeeding() {
      guard let body = request.body, !shared.withLock({ $0.uploadBuffer.isComplete }) else { return }
      uploadTask = Task { [weak self] in
        await feed(body) { [weak self] in await self?.enqueue($0) ?? false }
      }
    }

    /// Whether libcurl waits for the reader of the response, or for the request's body.
    var isPaused: Bool { shared.withLock { $0.isReceivingPaused || $0.uploadBuffer.isPaused } }

    /// Returns the directions that stay paused after a resumption.
    func updatePauseFlags(at time: Int64) -> Int32 {
      lastActivity = time
      let paused = shared.withLock { shared in
        shared.isReceiveResumePending = false
        shared.uploadBuffer.isResumePending = false
        return (shared.isReceivingPaused ? CURLPAUSE_RECV : 0) | (shared.uploadBuffer.isPaused ? CURLPAUSE_SEND : 0)
      }
      loop.scheduleDeadline(of: self)
      return paused
    }

    /// Returns the next deadline and its phase; `Int64.max` for none.
    func nextDeadline() -> (time: Int64, phase: HTTPError.DeadlinePhase) {
      var next = (time: Int64.max, phase: HTTPError.DeadlinePhase.total)
      func consider(_ duration: Int64, since start: Int64, _ phase: HTTPError.DeadlinePhase) {
        let (time, isTooLate) = start.addingReportingOverflow(duration)
        if !isTooLate, time < next.time { next = (time, phase) }
      }
      switch phase {
      case .connecting: consider(deadlines.connect, since: startedAt, .connect)
      case .waiting: consider(deadlines.firstByte, since: requestCompleteAt, .firstByte)
      case .sending, .receiving:
        // A transfer that waits for this side is not silent, until this thread has resumed it.
        let isWaiting = shared.withLock { shared in
          shared.isReceivingPaused || shared.isReceiveResumePending || shared.uploadBuffer.isPaused
            || shared.uploadBuffer.isResumePending
        }
        if !isWaiting {
          consider(deadlines.idle, since: lastActivity, .idle)
          if isStillSending, isResponseComplete { consider(Self.idleLimitAfterResponse, since: lastActivity, .idle) }
        }
      }
      consider(deadlines.total, since: startedAt, .total)
      return next
    }

    /// 1 s: a server that has responded, and has accepted no more of the request for this long, will not read the rest.
    private static let idleLimitAfterResponse: Int64 = 1_000_000_000

    /// Whether libcurl may still have a part of the request's body to send.
    var isStillSending: Bool { request.body != nil && !isBodyInline }

    /// Ends the transfer, and gives up its handle.
    func finish(_ result: Result<HTTPMetrics, HTTPError>) {
      handle = nil
      uploadTask?.cancel()
      let waiter = shared.withLock { shared in
        if shared.result == nil { shared.result = result }
        return shared.uploadBuffer.close()
      }
      waiter?.resume(returning: false)
    }

    /// Resumes the waiting reader with the available data.
    func notifyReader() {
      enum Told {
        case head(UnsafeContinuation<Result<RawResponseHead, HTTPError>, Never>, Result<RawResponseHead, HTTPError>)
        case piece(UnsafeContinuation<Result<Data?, HTTPError>, Never>, Result<Data?, HTTPError>)
      }
      let told: Told? = shared.withLock { shared in
        if let waiter = shared.headWaiter, let head = shared.headResult() {
          shared.headWaiter = nil
          return .head(waiter, head)
        }
        if let waiter = shared.chunkWaiter, let piece = shared.dequeueChunk() {
          shared.chunkWaiter = nil
          return .piece(waiter, piece)
        }
        return nil
      }
      switch told {
      case .head(let waiter, let result): waiter.resume(returning: result)
      case .piece(let waiter, let result): waiter.resume(returning: result)
      case nil: break
      }
      resumeIfDrained()
    }

    // MARK: - Functions for the reader

    nonisolated(nonsending) func waitForHead() async throws(HTTPError) -> ResponseHead {
      let result = await withTaskCancellationHandler {
        await withUnsafeContinuation { (waiter: UnsafeContinuation<Result<RawResponseHead, HTTPError>, Never>) in
          let known = shared.withLock { shared in
            let head = shared.headResult()
            if head == nil { shared.headWaiter = waiter }
            return head
          }
          if let known { waiter.resume(returning: known) }
        }
      } onCancel: {
        cancel()
      }
      let head = try result.get()
      var response = ResponseHead(status: head.status, headers: head.headers, url: request.url)
      response.wasSentWithoutUserAgent = head.status == 403 && request.headers["User-Agent"] == nil
      return response
    }

    nonisolated(nonsending) func next() async throws(HTTPError) -> Data? {
      // A slow reader finds data each time, and would not notice the cancellation otherwise.
      if Task.isCancelled {
        cancel()
        throw HTTPError(.cancelled, delivery: .responded)
      }
      if let known = shared.withLock({ $0.dequeueChunk() }) {
        resumeIfDrained()
        return try known.get()
      }
      let result = await withTaskCancellationHandler {
        await withUnsafeContinuation { (waiter: UnsafeContinuation<Result<Data?, HTTPError>, Never>) in
          let known = shared.withLock { shared in
            let piece = shared.dequeueChunk()
            guard piece == nil else { return piece }
            // A body is read by one task. Another task must not wait for data that is never delivered to it.
            guard shared.chunkWaiter == nil else { return .failure(HTTPError(.cancelled, delivery: .responded)) }
            shared.chunkWaiter = waiter
            return nil
          }
          if let known { waiter.resume(returning: known) }
        }
      } onCancel: {
        cancel()
      }
      resumeIfDrained()
      return try result.get()
    }

    private func resumeIfDrained() {
      let isToResume = shared.withLock { shared in
        guard shared.isReceivingPaused, shared.incoming.isEmpty, shared.result == nil else { return false }
        shared.isReceivingPaused = false
        shared.isReceiveResumePending = true
        return true
      }
      if isToResume { loop.resume(self) }
    }

    private struct Waiters {
      var head: UnsafeContinuation<Result<RawResponseHead, HTTPError>, Never>?
      var chunk: UnsafeContinuation<Result<Data?, HTTPError>, Never>?
      var error: HTTPError
    }

    /// Cancels the transfer. The reader is resumed at once, and the loop's thread handles the command later.
    func cancel() {
      let waiters: Waiters? = shared.withLock { shared in
        // Received bytes that were not read are dropped, too.
        if case .success = shared.result, !shared.incoming.isEmpty {
          shared.result = .failure(HTTPError(.cancelled, delivery: .responded))
          shared.incoming = Data()
        }
        guard shared.result == nil else { return nil }
        let error = HTTPError(
          .cancelled, delivery: shared.head != nil ? .responded : shared.hasStartedSending ? .maybeSent : .notSent)
        shared.result = .failure(error)
        shared.incoming = Data()
        defer {
          shared.headWaiter = nil
          shared.chunkWaiter = nil
        }
        return Waiters(head: shared.headWaiter, chunk: shared.chunkWaiter, error: error)
      }
      guard let waiters else { return }
      waiters.head?.resume(returning: .failure(waiters.error))
      waiters.chunk?.resume(returning: .failure(waiters.error))
      loop.cancel(self)
    }

    var metrics: HTTPMetrics {
      shared.withLock { shared in
        if case .success(let metrics) = shared.result { metrics } else { HTTPMetrics() }
      }
    }
  }

  extension CurlTransfer.SharedState {
    /// Returns the head or an error; nil while neither is known.
    func headResult() -> Result<RawResponseHead, HTTPError>? {
      if let head { return .success(head) }
      if case .failure(let error) = result { return .failure(error) }
      return nil
    }

    /// Returns received bytes of the body, its end, or an error; nil while there is nothing.
    mutating func dequeueChunk() -> Result<Data?, HTTPError>? {
      if !incoming.isEmpty {
        let piece = incoming
        incoming = Data()
        // Mostly unused capacity is freed: small data may be kept for long.
        let isSmall = piece.count <= CurlTransfer.sizeOfSmallBody / 2
        return .success(isSmall ? piece.withUnsafeBytes { Data($0) } : piece)
      }
      switch result {
      case .success: return .success(nil)
      case .failure(let error): return .failure(error)
      case nil: return nil
      }
    }
  }

  /// The deadlines of a request in the form in which the loop compares them for each event; `Int64.max` for none.
  struct DeadlinesInNanoseconds {
    let connect: Int64
    let firstByte: Int64
    let idle: Int64
    let total: Int64

    init(_ deadlines: Deadlines) {
      connect = deadlines.connect?.nanoseconds ?? .max
      firstByte = deadlines.firstByte?.nanoseconds ?? .max
      idle = deadlines.idle?.nanoseconds ?? .max
      total = deadlines.total?.nanoseconds ?? .max
    }
  }

  extension Duration {
    /// The number of nanoseconds, at most that of an Int64; zero for a negative duration.
    var nanoseconds: Int64 {
      guard self > .zero else { return 0 }
      let (seconds, attoseconds) = components
      let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      return isTooLong
        ? .max
        : whole.addingReportingOverflow(attoseconds / 1_000_000_000).overflow
          ? .max : whole + attoseconds / 1_000_000_000
    }
  }
#endif
