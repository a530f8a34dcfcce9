#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Foundation
  internal import Synchronization

  /// One exchange: made on the caller's task, run by the loop's thread, read by one task.
  ///
  /// What both sides touch is in ``Shared``, behind a mutex that is held for moments.
  final class CurlTransfer: ResponseBodySource, @unchecked Sendable {
    // Safe to share: the properties under "Of the thread" are touched by the caller before it adds the transfer to the
    // loop, and from then on by the loop's thread alone.

    struct SharedState {
      var head: RawResponseHead?
      /// What has come and was not read.
      var incoming = Data()
      var isReceivingPaused = false
      /// Whether the reader has read on, and the thread is still to be told.
      var isReceiveResumePending = false
      var result: Result<HTTPMetrics, HTTPError>?
      var headWaiter: UnsafeContinuation<Result<RawResponseHead, HTTPError>, Never>?
      var chunkWaiter: UnsafeContinuation<Result<Data?, HTTPError>, Never>?
      /// Whether the request may go out; from then on it may have been seen.
      var hasStartedSending = false
      var uploadBuffer = UploadBuffer()
    }

    enum Phase {
      case connecting, sending, waiting, receiving
    }

    let request: HTTPRequest
    /// How long the request's body is, if that is known.
    let uploadLength: Int64?
    let loop: CurlEventLoop
    let shared: Mutex<SharedState>

    // MARK: Of the thread
    //
    // What is touched for each piece that comes is not checked for overlapping access: no access lasts while something of
    // a user's runs.

    private(set) var handle: UnsafeMutableRawPointer?
    /// What the handle is set to beside the request.
    private let configuration: CurlHandleConfiguration?
    let deadlines: DeadlinesInNanoseconds
    var headerList: UnsafeMutablePointer<curl_slist>?
    /// Where it is among the loop's transfers, while it is one.
    var activeIndex: Int?
    var isNotificationScheduled = false
    @exclusivity(unchecked) var phase = Phase.connecting
    /// What this side refused, which libcurl knows only as an aborted callback.
    var localError: HTTPError?
    @exclusivity(unchecked) var headParser = ResponseHeadParser()
    /// How much of the body has come.
    @exclusivity(unchecked) var receivedBytes: Int64 = 0
    /// Whether there is a body behind the head.
    var hasBody = true
    /// How its reader decodes what comes, if he does; known before the head is.
    var decoding: ContentDecoding?
    var uploadedBytes: Int64 = 0
    @exclusivity(unchecked) private(set) var startedAt: Int64 = 0
    @exclusivity(unchecked) private var requestCompleteAt: Int64 = 0
    @exclusivity(unchecked) private var lastActivity: Int64 = 0
    private var sendCount = 0
    /// Whether the server has said of the request's stream that it was not handled (HTTP/2).
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

    /// Gives back what a transfer holds that the loop did not take.
    func releaseUnstarted() {
      if let handle { loop.checkInHandle(CurlHandle(pointer: handle)) }
      handle = nil
      freeHeaders()
    }

    /// The handle for those who come later, with its setting where it has served well.
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

    /// 1 KiB: whoever asks has room for so much before he asks.
    fileprivate static let sizeOfSmallBody = 1 << 10

    // Mostly by the task that has made them: what one thread allocates and another one frees has both wait for each other,
    // and the loop's thread serves all. For the same reason that thread finds room for a small answer.
    deinit { freeHeaders() }

    // MARK: - The loop's thread

    /// The handle to add; nil where the transfer was cancelled before.
    func start(at time: Int64) -> UnsafeMutableRawPointer? {
      guard shared.withLock({ $0.result == nil }) else { return nil }
      startedAt = time
      lastActivity = time
      return handle
    }

    /// The request is about to go out on a connection that stands.
    func prepareToSend() -> Bool {
      sendCount += 1
      // libcurl sends a request again by itself, whatever its method, where a kept connection was closed before an answer.
      // The server may have acted on the first one: that is for the client to decide.
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
      // For a body of no bytes libcurl asks for none.
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

    /// From now on.
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

    /// Whether libcurl waits for its reader, or for its body.
    var isPaused: Bool { shared.withLock { $0.isReceivingPaused || $0.uploadBuffer.isPaused } }

    /// What is to be paused, where something was resumed.
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

    /// The next deadline, and of what; `Int64.max` where there is none.
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
        // Whoever waits for this side is not silent, and that is so until this thread has let it go on.
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

    /// 1 s: who has answered, and takes nothing more of the request for so long, wants no more of it.
    private static let idleLimitAfterResponse: Int64 = 1_000_000_000

    /// Whether libcurl may still have some of the request's body to send.
    var isStillSending: Bool { request.body != nil && !isBodyInline }

    /// Takes leave of the handle.
    func finish(_ result: Result<HTTPMetrics, HTTPError>) {
      handle = nil
      uploadTask?.cancel()
      let waiter = shared.withLock { shared in
        if shared.result == nil { shared.result = result }
        return shared.uploadBuffer.close()
      }
      waiter?.resume(returning: false)
    }

    /// Tells whoever waits what there is.
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

    // MARK: - The reader

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
      // Whoever is slow finds data each time, and would not be told otherwise.
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
            // A body is read by one task. Another one must not wait for what nobody will tell it.
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

    /// The reader is told at once, and the loop's thread when it comes to it.
    func cancel() {
      let waiters: Waiters? = shared.withLock { shared in
        // What has come and was not read is not wanted either.
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
    /// What there is to say of the head; nil while nothing is known.
    func headResult() -> Result<RawResponseHead, HTTPError>? {
      if let head { return .success(head) }
      if case .failure(let error) = result { return .failure(error) }
      return nil
    }

    /// What has come of the body, or its end; nil while there is nothing.
    mutating func dequeueChunk() -> Result<Data?, HTTPError>? {
      if !incoming.isEmpty {
        let piece = incoming
        incoming = Data()
        // The room that was made for it is given back where little of it was needed: what is small may be kept long.
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

  /// The deadlines of a request as the loop compares them, each time that something moves; `Int64.max` for none.
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
    /// In nanoseconds, at most what an Int64 holds; none where it is negative.
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
