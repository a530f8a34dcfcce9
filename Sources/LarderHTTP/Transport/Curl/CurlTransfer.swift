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

    struct Shared {
      var head: ArrivedHead?
      /// What has come and was not read.
      var incoming = Data()
      var isReceivingPaused = false
      /// Whether the reader has read on, and the thread is still to be told.
      var isReceivingAgain = false
      var end: Result<HTTPMetrics, HTTPError>?
      var headWaiter: UnsafeContinuation<Result<ArrivedHead, HTTPError>, Never>?
      var pieceWaiter: UnsafeContinuation<Result<Data?, HTTPError>, Never>?
      /// Whether the request may go out; from then on it may have been seen.
      var hasBegun = false
      var outgoing = Outgoing()
    }

    enum Phase {
      case connecting, sending, waiting, receiving
    }

    let request: HTTPRequest
    /// How long the request's body is, if that is known.
    let uploadLength: Int64?
    let loop: CurlLoop
    let shared: Mutex<Shared>

    // MARK: Of the thread
    //
    // What is touched for each piece that comes is not checked for overlapping access: no access lasts while something of
    // a user's runs.

    private(set) var handle: UnsafeMutableRawPointer?
    /// What the handle is set to beside the request.
    private let setting: CurlSetting?
    let deadlines: DeadlinesInNanoseconds
    var headerList: UnsafeMutablePointer<curl_slist>?
    /// Where it is among the loop's transfers, while it is one.
    var place: Int?
    var isToBeTold = false
    @exclusivity(unchecked) var phase = Phase.connecting
    /// What this side refused, which libcurl knows only as an aborted callback.
    var refusal: HTTPError?
    @exclusivity(unchecked) var arriving = ArrivingHead()
    /// How much of the body has come.
    @exclusivity(unchecked) var receivedBytes: Int64 = 0
    /// Whether there is a body behind the head.
    var hasBody = true
    /// How its reader decodes what comes, if he does; known before the head is.
    var decoding: Decoding?
    var uploadedBytes: Int64 = 0
    @exclusivity(unchecked) private(set) var begunAt: Int64 = 0
    @exclusivity(unchecked) private var requestCompleteAt: Int64 = 0
    @exclusivity(unchecked) private var lastActivity: Int64 = 0
    private var sendings = 0
    /// Whether the server has said of the request's stream that it was not handled (HTTP/2).
    var wasNotHandled = false
    private var feeder: Task<Void, Never>?

    init(_ request: HTTPRequest, loop: CurlLoop) throws(HTTPError) {
      self.request = request
      uploadLength = request.body?.length
      self.loop = loop
      shared = Mutex(Shared(incoming: Data(capacity: Self.sizeOfSmallBody)))
      setting = CurlSetting(request, loop.options)
      deadlines = DeadlinesInNanoseconds(request.deadlines)
      let taken = try loop.handle(setting)
      handle = taken.pointer
      do {
        try configure(taken, options: loop.options)
      } catch {
        neverBegan()
        throw error
      }
    }

    /// Gives back what a transfer holds that the loop did not take.
    func neverBegan() {
      if let handle { loop.giveBack(CurlHandle(pointer: handle)) }
      handle = nil
      freeHeaders()
    }

    /// The handle for those who come later, with its setting where it has served well.
    func handle(after result: Result<HTTPMetrics, HTTPError>) -> CurlHandle? {
      handle.map { pointer in
        guard case .success = result else { return CurlHandle(pointer: pointer) }
        return CurlHandle(pointer: pointer, setting: setting)
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
    func begin(at time: Int64) -> UnsafeMutableRawPointer? {
      guard shared.withLock({ $0.end == nil }) else { return nil }
      begunAt = time
      lastActivity = time
      return handle
    }

    /// The request is about to go out on a connection that stands.
    func mayBeSent() -> Bool {
      sendings += 1
      // libcurl sends a request again by itself, whatever its method, where a kept connection was closed before an answer.
      // The server may have acted on the first one: that is for the client to decide.
      guard sendings == 1 else {
        let (reason, delivery) = beganAgain
        refusal = HTTPError(HTTPError.Kind(reason, delivery), delivery: delivery)
        return false
      }
      let isWanted = shared.withLock { shared in
        guard shared.end == nil else { return false }
        shared.hasBegun = true
        return true
      }
      guard isWanted else { return false }
      reportKey()
      phase = .sending
      moved()
      // For a body of no bytes libcurl asks for none.
      if request.body == nil || isSentAtOnce || uploadLength == 0 {
        requestIsComplete()
      } else {
        loop.watch(self)
        startFeeding()
      }
      return true
    }

    func requestIsComplete() {
      if phase == .sending { waitForAnswer() }
    }

    /// From now on.
    func waitForAnswer() {
      phase = .waiting
      requestCompleteAt = loop.now
      loop.watch(self)
    }

    func moved() { lastActivity = loop.now }

    private func startFeeding() {
      guard let body = request.body, !shared.withLock({ $0.outgoing.isComplete }) else { return }
      feeder = Task { [weak self] in
        await feed(body) { [weak self] in await self?.take($0) ?? false }
      }
    }

    /// Whether libcurl waits for its reader, or for its body.
    var isPaused: Bool { shared.withLock { $0.isReceivingPaused || $0.outgoing.isPaused } }

    /// What is to be paused, where something was resumed.
    func pauses(at time: Int64) -> Int32 {
      lastActivity = time
      let paused = shared.withLock { shared in
        shared.isReceivingAgain = false
        shared.outgoing.isGoingOn = false
        return (shared.isReceivingPaused ? CURLPAUSE_RECV : 0) | (shared.outgoing.isPaused ? CURLPAUSE_SEND : 0)
      }
      loop.watch(self)
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
      case .connecting: consider(deadlines.connect, since: begunAt, .connect)
      case .waiting: consider(deadlines.firstByte, since: requestCompleteAt, .firstByte)
      case .sending, .receiving:
        // Whoever waits for this side is not silent, and that is so until this thread has let it go on.
        let isWaiting = shared.withLock { shared in
          shared.isReceivingPaused || shared.isReceivingAgain || shared.outgoing.isPaused || shared.outgoing.isGoingOn
        }
        if !isWaiting {
          consider(deadlines.idle, since: lastActivity, .idle)
          if isStillSending, isAnsweredWhole { consider(Self.silenceAfterAnswer, since: lastActivity, .idle) }
        }
      }
      consider(deadlines.total, since: begunAt, .total)
      return next
    }

    /// 1 s: who has answered, and takes nothing more of the request for so long, wants no more of it.
    private static let silenceAfterAnswer: Int64 = 1_000_000_000

    /// Whether libcurl may still have some of the request's body to send.
    var isStillSending: Bool { request.body != nil && !isSentAtOnce }

    /// Takes leave of the handle.
    func finish(_ result: Result<HTTPMetrics, HTTPError>) {
      handle = nil
      feeder?.cancel()
      let waiter = shared.withLock { shared in
        if shared.end == nil { shared.end = result }
        return shared.outgoing.close()
      }
      waiter?.resume(returning: false)
    }

    /// Tells whoever waits what there is.
    func tellReader() {
      enum Told {
        case head(UnsafeContinuation<Result<ArrivedHead, HTTPError>, Never>, Result<ArrivedHead, HTTPError>)
        case piece(UnsafeContinuation<Result<Data?, HTTPError>, Never>, Result<Data?, HTTPError>)
      }
      let told: Told? = shared.withLock { shared in
        if let waiter = shared.headWaiter, let head = shared.takeHead() {
          shared.headWaiter = nil
          return .head(waiter, head)
        }
        if let waiter = shared.pieceWaiter, let piece = shared.takePiece() {
          shared.pieceWaiter = nil
          return .piece(waiter, piece)
        }
        return nil
      }
      switch told {
      case .head(let waiter, let result): waiter.resume(returning: result)
      case .piece(let waiter, let result): waiter.resume(returning: result)
      case nil: break
      }
      resumeIfRead()
    }

    // MARK: - The reader

    nonisolated(nonsending) func head() async throws(HTTPError) -> ResponseHead {
      let result = await withTaskCancellationHandler {
        await withUnsafeContinuation { (waiter: UnsafeContinuation<Result<ArrivedHead, HTTPError>, Never>) in
          let known = shared.withLock { shared in
            let head = shared.takeHead()
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
      response.isWithoutUserAgent = head.status == 403 && request.headers["User-Agent"] == nil
      return response
    }

    nonisolated(nonsending) func next() async throws(HTTPError) -> Data? {
      // Whoever is slow finds data each time, and would not be told otherwise.
      if Task.isCancelled {
        cancel()
        throw HTTPError(.cancelled, delivery: .answered)
      }
      if let known = shared.withLock({ $0.takePiece() }) {
        resumeIfRead()
        return try known.get()
      }
      let result = await withTaskCancellationHandler {
        await withUnsafeContinuation { (waiter: UnsafeContinuation<Result<Data?, HTTPError>, Never>) in
          let known = shared.withLock { shared in
            let piece = shared.takePiece()
            guard piece == nil else { return piece }
            // A body is read by one task. Another one must not wait for what nobody will tell it.
            guard shared.pieceWaiter == nil else { return .failure(HTTPError(.cancelled, delivery: .answered)) }
            shared.pieceWaiter = waiter
            return nil
          }
          if let known { waiter.resume(returning: known) }
        }
      } onCancel: {
        cancel()
      }
      resumeIfRead()
      return try result.get()
    }

    private func resumeIfRead() {
      let isToResume = shared.withLock { shared in
        guard shared.isReceivingPaused, shared.incoming.isEmpty, shared.end == nil else { return false }
        shared.isReceivingPaused = false
        shared.isReceivingAgain = true
        return true
      }
      if isToResume { loop.resume(self) }
    }

    private struct Waiters {
      var head: UnsafeContinuation<Result<ArrivedHead, HTTPError>, Never>?
      var piece: UnsafeContinuation<Result<Data?, HTTPError>, Never>?
      var error: HTTPError
    }

    /// The reader is told at once, and the loop's thread when it comes to it.
    func cancel() {
      let waiters: Waiters? = shared.withLock { shared in
        // What has come and was not read is not wanted either.
        if case .success = shared.end, !shared.incoming.isEmpty {
          shared.end = .failure(HTTPError(.cancelled, delivery: .answered))
          shared.incoming = Data()
        }
        guard shared.end == nil else { return nil }
        let error = HTTPError(
          .cancelled, delivery: shared.head != nil ? .answered : shared.hasBegun ? .maybeSent : .notSent)
        shared.end = .failure(error)
        shared.incoming = Data()
        defer {
          shared.headWaiter = nil
          shared.pieceWaiter = nil
        }
        return Waiters(head: shared.headWaiter, piece: shared.pieceWaiter, error: error)
      }
      guard let waiters else { return }
      waiters.head?.resume(returning: .failure(waiters.error))
      waiters.piece?.resume(returning: .failure(waiters.error))
      loop.cancel(self)
    }

    var metrics: HTTPMetrics {
      shared.withLock { shared in
        if case .success(let metrics) = shared.end { metrics } else { HTTPMetrics() }
      }
    }
  }

  extension CurlTransfer.Shared {
    /// What there is to say of the head; nil while nothing is known.
    func takeHead() -> Result<ArrivedHead, HTTPError>? {
      if let head { return .success(head) }
      if case .failure(let error) = end { return .failure(error) }
      return nil
    }

    /// What has come of the body, or its end; nil while there is nothing.
    mutating func takePiece() -> Result<Data?, HTTPError>? {
      if !incoming.isEmpty {
        let piece = incoming
        incoming = Data()
        // The room that was made for it is given back where little of it was needed: what is small may be kept long.
        let isSmall = piece.count <= CurlTransfer.sizeOfSmallBody / 2
        return .success(isSmall ? piece.withUnsafeBytes { Data($0) } : piece)
      }
      switch end {
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
