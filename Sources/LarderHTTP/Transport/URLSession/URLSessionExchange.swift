import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One exchange of a session.
final class URLSessionExchange: Sendable {
  private typealias Waiter = CheckedContinuation<Result<StreamedResponse, HTTPError>, Never>

  private struct State {
    var head: ResponseHead?
    var body = Data()
    var failure: HTTPError?
    var waiter: Waiter?
    /// The task that makes the request.
    var preparation: Task<Void, Never>?
    var task: URLSessionDataTask?
    var hasEnded = false
  }

  private let request: HTTPRequest
  private let state = Mutex(State())
  private let elapsed = ContinuousClock().makeStopwatch()

  init(_ request: HTTPRequest) { self.request = request }

  /// Makes a request and sends it, both within the total deadline: producing the body may take long, too.
  func run(
    on session: URLSession, delegate: URLSessionTransportDelegate,
    preparing prepare: @escaping @Sendable () async throws(HTTPError) -> URLRequest
  ) async throws(HTTPError) -> StreamedResponse {
    let watch = request.deadlines.total.map { total in
      Task { [weak self] in
        try await Task.sleep(for: min(total, .maximumWait))
        self?.finish(with: HTTPError(.deadline(.total), delivery: .maybeSent))
      }
    }
    defer { watch?.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: Waiter) in
        let failure = state.withLock { state -> HTTPError? in
          if state.hasEnded { return state.failure ?? HTTPError(.cancelled, delivery: .notSent) }
          state.waiter = continuation
          return nil
        }
        if let failure { return continuation.resume(returning: .failure(failure)) }
        // A separate task: the caller is not delayed by a body that neither arrives nor notices its cancellation.
        let making = Task { [self] in
          guard isActive else { return }
          do throws(HTTPError) {
            start(try await prepare(), on: session, delegate: delegate)
          } catch {
            finish(with: error)
          }
        }
        let isTooLate = state.withLock { state in
          if !state.hasEnded { state.preparation = making }
          return state.hasEnded
        }
        if isTooLate { making.cancel() }
      }
    } onCancel: {
      finish(with: HTTPError(.cancelled, delivery: .maybeSent))
    }
    return try result.get()
  }

  private var isActive: Bool { state.withLock { !$0.hasEnded } }

  /// Starts the session's task, unless the exchange has ended while the request was made.
  private func start(_ prepared: URLRequest, on session: URLSession, delegate: URLSessionTransportDelegate) {
    // Within the lock: an exchange that has not ended retains its transport, and so a session that still creates tasks; an
    // invalidated session does not. And a later cancellation finds the task; one that is neither cancelled nor resumed would
    // stay in the session.
    let task = state.withLock { state -> URLSessionDataTask? in
      guard !state.hasEnded else { return nil }
      let task = session.dataTask(with: prepared)
      delegate.register(self, for: task)
      state.task = task
      return task
    }
    // Outside of the lock: a session may begin at once, and call its delegate. A task cancelled in between stays cancelled.
    task?.resume()
  }

  private func finish(with error: HTTPError?) {
    let (waiter, making, task, result) = state.withLock { state in
      var error = error
      // Nothing was sent before the session's task was started.
      if state.task == nil { error?.delivery = .notSent }
      let result = makeResult(&state, error)
      if !state.hasEnded, case .failure(let failure) = result { state.failure = failure }
      defer {
        state.waiter = nil
        state.preparation = nil
        state.task = nil
        state.hasEnded = true
      }
      return (state.waiter, error == nil ? nil : state.preparation, error == nil ? nil : state.task, result)
    }
    making?.cancel()
    task?.cancel()
    waiter?.resume(returning: result)
  }

  private func makeResult(_ state: inout State, _ error: HTTPError?) -> Result<StreamedResponse, HTTPError> {
    if var error = state.failure ?? error {
      if let head = state.head {
        // The connection has returned a response, whatever the session's error states.
        switch error.kind {
        case .notSent(let failure), .maybeSent(let failure): error.kind = HTTPError.Kind(failure, .responded)
        default: break
        }
        error.delivery = .responded
        error.status = head.status
      }
      return .failure(error)
    }
    guard let head = state.head else { return .failure(HTTPError(.maybeSent(.malformed), delivery: .maybeSent)) }
    var metrics = HTTPMetrics()
    metrics.total = elapsed()
    metrics.bodyBytes = Int64(state.body.count)
    metrics.bytesReceived = metrics.bodyBytes
    metrics.bytesSent = request.body?.length ?? 0
    return .success(StreamedResponse(head: head, body: ResponseBody(state.body, metrics: metrics)))
  }

  // MARK: - Events of the session

  func receive(_ data: Data) {
    let excess: HTTPError? = state.withLock { state in
      state.body.append(data)
      let limit = min(request.limits.decompressedBody, request.limits.body)
      guard Int64(state.body.count) > limit, state.failure == nil else { return nil }
      state.failure = HTTPError(.tooLarge(.body(limit: Int(clamping: limit))), delivery: .responded)
      return state.failure
    }
    if let excess { return finish(with: excess) }
    request.downloadProgress?(TransferProgress(bytes: state.withLock { Int64($0.body.count) }))
  }

  func reportUpload(_ bytes: Int64, of total: Int64) {
    request.uploadProgress?(TransferProgress(bytes: bytes, total: total < 0 ? nil : total))
  }

  func complete(_ error: (any Error)?, mayHaveReusedConnection mayHaveKept: Bool) {
    finish(with: error.map { HTTPError(session: $0, mayHaveReusedConnection: mayHaveKept) })
  }

  func receiveHead(_ response: HTTPURLResponse) {
    var headers = HTTPHeaders()
    for (name, value) in response.allHeaderFields {
      guard let name = name as? String, let value = value as? String else { continue }
      headers.add(value, for: name)
    }
    state.withLock { $0.head = ResponseHead(status: response.statusCode, headers: headers, url: request.url) }
  }
}
