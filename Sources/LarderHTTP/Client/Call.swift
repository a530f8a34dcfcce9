import Foundation

/// One request on its way through the layers: attempts around interceptors around redirects around the transport.
struct Call: Sendable {
  let client: HTTPClient
  var request: HTTPRequest

  private var configuration: HTTPClient.Configuration { client.configuration }

  /// The head of a success, its body still to come.
  func stream() async throws(HTTPError) -> StreamedResponse {
    try await attempts { (attempt, _) async throws(HTTPError) in (attempt, attempt.body.metrics) }
  }

  /// A success with the whole of its body, and what is made of it. What that fails with is a failure of the request.
  func response<Value>(
    _ read: @Sendable (HTTPResponse) throws(HTTPError) -> Value
  ) async throws(HTTPError) -> Value {
    try await attempts { (attempt, number) async throws(HTTPError) in
      do throws(HTTPError) {
        let body = try await attempt.body.collect(upTo: Int(clamping: request.limits.inflatedBody))
        let response = HTTPResponse(head: attempt.head, body: body, metrics: attempt.metrics(ofAttempt: number))
        return (try read(response), response.metrics)
      } catch {
        throw error.known(of: attempt.head)
      }
    }
  }

  /// A success, whose body is in a file.
  func download(to file: URL) async throws(HTTPError) -> HTTPResponse {
    try await attempts { (attempt, number) async throws(HTTPError) in
      do throws(HTTPError) {
        var partial = try PartialFile(for: file)
        var pieces = attempt.body.makeAsyncIterator()
        while let piece = try await pieces.next() { try partial.append(piece) }
        try partial.keep()
      } catch {
        attempt.body.cancel()
        throw error.known(of: attempt.head)
      }
      let metrics = attempt.metrics(ofAttempt: number)
      return (HTTPResponse(head: attempt.head, metrics: metrics), metrics)
    }
  }

  /// Attempts, until one succeeds or another would do no good.
  private func attempts<Result>(
    finishing finish: @Sendable (StreamedResponse, Int) async throws(HTTPError) -> (Result, HTTPMetrics)
  ) async throws(HTTPError) -> Result {
    let elapsed = configuration.environment.clock.stopwatch()
    let request = try frozen()
    let host = request.url.host() ?? ""
    var retries = Retries(
      policy: configuration.retry, environment: configuration.environment, budget: client.budgets.budget(for: host),
      request: request)
    while true {
      do throws(HTTPError) {
        var attempt = request
        if let total = request.deadlines.total {
          let left = total - elapsed()
          guard left > .zero else { throw HTTPError(.deadline(.total), delivery: .notSent) }
          attempt.deadlines.total = left
        }
        let response = try await accepted(try await intercepted(attempt, from: 0))
        let (result, metrics) = try await finish(response, retries.attempts)
        retries.succeeded()
        report(metrics, status: response.status, error: nil)
        return result
      } catch {
        var failure = error
        failure.request = request.name
        failure.attempts = retries.attempts
        failure.delivery = retries.delivery(after: error)
        guard let wait = retries.wait(after: error, elapsed: elapsed()) else {
          report(failure.metrics ?? HTTPMetrics(), status: failure.status, error: failure)
          throw failure
        }
        configuration.logger?.retrying(request, after: error, attempt: retries.attempts, wait: wait.duration)
        do {
          if wait.duration > .zero {
            try await configuration.environment.wait(for: wait.duration, floor: wait.floor, hint: client.hint)
          }
          try Task.checkCancellation()
        } catch {
          failure.kind = .cancelled
          report(failure.metrics ?? HTTPMetrics(), status: failure.status, error: failure)
          throw failure
        }
        retries.begin()
      }
    }
  }

  private func report(_ metrics: HTTPMetrics, status: Int?, error: HTTPError?) {
    configuration.logger?.finished(request, status: status, metrics: metrics, error: error)
    configuration.metrics?(RequestReport(name: request.name, status: status, metrics: metrics, error: error))
  }

  /// The request with the bytes that each attempt sends.
  private func frozen() throws(HTTPError) -> HTTPRequest {
    do throws(HTTPError) {
      var request = request
      if case .encodable(let value)? = request.body?.content {
        request.body?.content = .data(try client.encode(value))
      }
      if let key = request.idempotencyKey {
        guard let value = configuration.idempotencyHeader.value(of: key) else {
          throw HTTPError(.invalidRequest(.idempotencyKey), delivery: .notSent)
        }
        request.headers[configuration.idempotencyHeader.name] = value
      }
      return request
    } catch {
      var named = error
      named.request = request.name
      throw named
    }
  }

  private func intercepted(
    _ request: HTTPRequest, from place: Int
  ) async throws(HTTPError) -> StreamedResponse {
    guard place < configuration.interceptors.count else { return try await redirected(request) }
    return try await configuration.interceptors[place].intercept(request) {
      (changed) async throws(HTTPError) -> StreamedResponse in
      try await intercepted(changed, from: place + 1)
    }
  }

  /// Follows redirects; what the transport cannot know of them is here.
  private func redirected(_ request: HTTPRequest) async throws(HTTPError) -> StreamedResponse {
    var request = request
    var followed = 0
    while true {
      let response = try await client.transport.send(request)
      guard Redirect.isRedirect(response.head) else { return response }
      followed += 1
      response.body.cancel()
      request = try Redirect(configuration: configuration, limit: self.request.limits.redirects)
        .next(after: response.head, of: request, followed: followed)
    }
  }

  /// A success; any other status becomes an error, with what the body says.
  private func accepted(_ response: StreamedResponse) async throws(HTTPError) -> StreamedResponse {
    // 304 answers a condition that the request itself has made.
    if response.head.isSuccess || (response.status == 304 && request.hasCondition) { return response }
    let body = await response.body.beginning(HTTPError.refusalBodyLimit)
    throw HTTPError(
      refusal: response.head, body: body, metrics: response.body.metrics, now: configuration.environment.now())
  }
}

extension HTTPError {
  /// The same, with what is known of the response.
  fileprivate func known(of head: ResponseHead) -> HTTPError {
    var known = self
    known.status = head.status
    known.headers = head.headers
    return known
  }
}

extension StreamedResponse {
  fileprivate func metrics(ofAttempt number: Int) -> HTTPMetrics {
    var metrics = body.metrics
    metrics.attempts = number
    return metrics
  }
}

extension HTTPRequest {
  var hasCondition: Bool { headers["If-None-Match"] != nil || headers["If-Modified-Since"] != nil }
}
