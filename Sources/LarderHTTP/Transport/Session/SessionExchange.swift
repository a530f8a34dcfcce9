import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One exchange by a session.
final class SessionExchange: Sendable {
  private struct State {
    var head: ResponseHead?
    var body = Data()
    var failure: HTTPError?
    var waiter: CheckedContinuation<Result<StreamedResponse, HTTPError>, Never>?
    var task: URLSessionDataTask?
    var hasEnded = false
  }

  private let request: HTTPRequest
  private let state = Mutex(State())
  private let elapsed = ContinuousClock().stopwatch()

  init(_ request: HTTPRequest) { self.request = request }

  func run(
    _ prepared: URLRequest, on session: URLSession, told delegate: SessionDelegate
  ) async throws(HTTPError) -> StreamedResponse {
    let watch = request.deadlines.total.map { total in
      Task { [weak self] in
        try await Task.sleep(for: min(total, .longestWait))
        self?.end(with: HTTPError(.deadline(.total), delivery: .maybeSent))
      }
    }
    defer { watch?.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let task = session.dataTask(with: prepared)
        delegate.tell(self, of: task)
        let isWanted = state.withLock { state in
          guard !state.hasEnded else { return false }
          state.waiter = continuation
          state.task = task
          return true
        }
        if isWanted {
          task.resume()
        } else {
          continuation.resume(returning: .failure(HTTPError(.cancelled, delivery: .notSent)))
        }
      }
    } onCancel: {
      end(with: HTTPError(.cancelled, delivery: .maybeSent))
    }
    return try result.get()
  }

  private func end(with error: HTTPError?) {
    let (waiter, task, result) = state.withLock { state in
      defer {
        state.waiter = nil
        state.task = nil
        state.hasEnded = true
      }
      return (state.waiter, error == nil ? nil : state.task, outcome(&state, error))
    }
    task?.cancel()
    waiter?.resume(returning: result)
  }

  private func outcome(_ state: inout State, _ error: HTTPError?) -> Result<StreamedResponse, HTTPError> {
    if var error = state.failure ?? error {
      if let head = state.head {
        error.delivery = .answered
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

  // MARK: - What the session tells

  func received(_ data: Data) {
    let excess: HTTPError? = state.withLock { state in
      state.body.append(data)
      let limit = min(request.limits.inflatedBody, request.limits.body)
      guard Int64(state.body.count) > limit, state.failure == nil else { return nil }
      state.failure = HTTPError(.tooLarge(.body(limit: Int(clamping: limit))), delivery: .answered)
      return state.failure
    }
    if let excess { return end(with: excess) }
    request.downloadProgress?(TransferProgress(bytes: state.withLock { Int64($0.body.count) }))
  }

  func sent(_ bytes: Int64, of total: Int64) {
    request.uploadProgress?(TransferProgress(bytes: bytes, total: total < 0 ? nil : total))
  }

  func completed(_ error: (any Error)?) { end(with: error.map { HTTPError(session: $0) }) }

  func note(_ response: HTTPURLResponse) {
    var headers = HTTPHeaders()
    for (name, value) in response.allHeaderFields {
      guard let name = name as? String, let value = value as? String else { continue }
      headers.add(value, for: name)
    }
    state.withLock { $0.head = ResponseHead(status: response.statusCode, headers: headers, url: request.url) }
  }
}

extension HTTPError {
  /// What a session's failure means: sent, perhaps, unless that cannot be.
  init(session error: any Error) {
    guard let error = error as? URLError else {
      self.init(.maybeSent(.other(code: (error as NSError).code)), delivery: .maybeSent, underlying: error)
      return
    }
    switch error.code {
    case .cannotFindHost, .dnsLookupFailed: self.init(.notSent(.nameNotResolved), delivery: .notSent)
    case .cannotConnectToHost: self.init(.notSent(.refused), delivery: .notSent)
    case .notConnectedToInternet, .dataNotAllowed: self.init(.notSent(.unreachable), delivery: .notSent)
    case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
      .serverCertificateNotYetValid:
      self.init(.notSent(.untrustedCertificate), delivery: .notSent)
    case .secureConnectionFailed: self.init(.notSent(.tls), delivery: .notSent)
    case .timedOut: self.init(.deadline(.idle), delivery: .maybeSent)
    case .cancelled: self.init(.cancelled, delivery: .maybeSent)
    case .networkConnectionLost: self.init(.maybeSent(.closed), delivery: .maybeSent)
    case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
      self.init(.maybeSent(.malformed), delivery: .maybeSent)
    default: self.init(.maybeSent(.other(code: error.code.rawValue)), delivery: .maybeSent)
    }
    underlying = error
  }
}
