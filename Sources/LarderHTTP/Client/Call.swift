import Foundation

/// A request on its way through the layers: attempts around interceptors around authentication around redirects around the
/// transport.
///
/// Each layer runs where the outermost one runs, which is on no actor: a layer with an executor of its own would add a switch
/// to each `await`.
struct Call: Sendable {
  let client: HTTPClient
  var request: HTTPRequest
  /// The time since the beginning of the call.
  let elapsed: Stopwatch

  /// Begins a call before its request is made: encoding the body may take a while, and counts towards the deadline.
  ///
  /// - Throws: The error that `make` throws, or the cancellation, without calling `make`, if the task was cancelled before.
  init(
    of client: HTTPClient, named name: @autoclosure () -> String, _ make: () throws(HTTPError) -> HTTPRequest
  ) throws(HTTPError) {
    do throws(HTTPError) {
      if Task.isCancelled { throw HTTPError(.cancelled, delivery: .notSent) }
      elapsed = client.storage.configuration.dependencies.makeStopwatch()
      self.client = client
      request = try make()
    } catch {
      throw client.configuration.reportUnsentRequest(name(), error)
    }
  }

  var configuration: HTTPClient.Configuration { client.storage.configuration }

  /// Returns the head of a successful response; its body is still to come.
  nonisolated(nonsending) func stream() async throws(HTTPError) -> StreamedResponse {
    try await performAttempts { (attempt, counts) async throws(HTTPError) in
      if attempt.status == 304 {
        let metrics = await attempt.finishWithoutBody().with(counts)
        return (StreamedResponse(head: attempt.head, body: ResponseBody(Data(), metrics: metrics)), metrics)
      }
      let body = ReportingBody(attempt, of: request, counts: counts) { metrics, error in
        report(metrics, status: attempt.status, error: error)
      }
      return (StreamedResponse(head: attempt.head, body: ResponseBody(body)), nil)
    }
  }

  /// Returns the value that `read` makes of a whole successful response. An error of `read` is a failure of the request.
  nonisolated(nonsending) func response<Value>(
    _ read: @Sendable (HTTPResponse) throws(HTTPError) -> Value
  ) async throws(HTTPError) -> Value {
    try await performAttempts(readingWhole: true) { (attempt, counts) async throws(HTTPError) in
      do throws(HTTPError) {
        let body = try await attempt.body.readAll(upTo: Int(clamping: request.limits.decompressedBody))
        let response = HTTPResponse(head: attempt.head, body: body, metrics: attempt.body.metrics.with(counts))
        return (try read(response), response.metrics)
      } catch {
        throw error.withResponseHead(attempt.head)
      }
    }
  }

  /// Writes the body of a successful response to a file. A 304 leaves the file unchanged.
  nonisolated(nonsending) func download(to file: URL) async throws(HTTPError) -> HTTPResponse {
    let place: URL
    do throws(HTTPError) {
      place = try PartialFile.resolvedDestination(of: file)
    } catch {
      throw configuration.reportUnsentRequest(request.name, error)
    }
    return try await performAttempts { (attempt, counts) async throws(HTTPError) in
      do throws(HTTPError) {
        if attempt.status == 304 {
          let metrics = await attempt.finishWithoutBody().with(counts)
          return (HTTPResponse(head: attempt.head, metrics: metrics), metrics)
        }
        var partial = try PartialFile(for: place)
        var pieces = attempt.body.makeAsyncIterator()
        while let piece = try await pieces.next() { try partial.append(piece) }
        try partial.commit()
      } catch {
        attempt.body.cancel()
        throw error.withResponseHead(attempt.head)
      }
      let metrics = attempt.body.metrics.with(counts)
      return (HTTPResponse(head: attempt.head, metrics: metrics), metrics)
    }
  }

  /// Makes attempts until one succeeds or no other is useful. An exchange without metrics so far is reported when its body ends.
  nonisolated(nonsending) private func performAttempts<Result>(
    readingWhole readsWhole: Bool = false,
    finishing finish:
      nonisolated(nonsending) @Sendable (StreamedResponse, CallCounts) async throws(HTTPError) -> (Result, HTTPMetrics?)
  ) async throws(HTTPError) -> Result {
    var request = try prepareRequest(readingWhole: readsWhole)
    let bodyUse = BodyConsumption(of: &request)
    let redirects = CallState(of: request)
    request.callState = redirects
    if case .bearer(let bearer) = client.authentication(of: request) { _ = redirects.loginID(for: bearer) }
    var retries = RequestRetrier(of: client, budget: client.storage.budget(for: request.url), request: request)
    while true {
      redirects.beginAttempt()
      do throws(HTTPError) {
        var attempt = request
        if let total = request.deadlines.total {
          let passed = elapsed()
          guard passed < total else { throw HTTPError(.deadline(.total), delivery: .notSent) }
          // A shorter time makes no difference to a deadline; before a first attempt the time is mostly that short.
          if passed >= .milliseconds(1) { attempt.deadlines.total = total - passed }
        }
        let response = try await validate(try await sendThroughInterceptors(attempt, from: 0, redirects))
        let counts = CallCounts(attempts: retries.attempts, redirects: redirects.redirectCount)
        let (result, metrics) = try await finish(response, counts)
        retries.recordSuccess()
        if let metrics { report(metrics, status: response.status, error: nil) }
        return result
      } catch {
        var failure = error
        failure.request = request.name
        failure.isSafe = request.method.isSafe
        failure.attempts = retries.attempts
        let counts = CallCounts(attempts: retries.attempts, redirects: redirects.redirectCount)
        failure.metrics = failure.metrics?.with(counts)
        if redirects.isCompleted {
          retries.recordCompletion()
        } else if redirects.hasCrossedOrigin {
          retries.recordLostIdempotencyKey()
        }
        if retries.recordDelivery(after: error) == .maybeSent { failure = failure.asMaybeSent }
        // A request that may have been processed in another form must be harmless to repeat.
        let isOver =
          !redirects.isCompleted
          && (bodyUse?.isConsumed == true || (redirects.hasCompletedForeignRequest && !request.isRepeatable))
        guard let wait = isOver ? nil : retries.nextDelay(after: error, elapsed: elapsed()) else {
          if let reason = retries.endReason { configuration.logger?.logGivingUp(request, because: reason) }
          report((failure.metrics ?? HTTPMetrics()).with(counts), status: failure.status, error: failure)
          throw failure
        }
        configuration.logger?.logRetry(of: request, after: error, attempt: retries.attempts, delay: wait.duration)
        do {
          if wait.duration > .zero {
            try await configuration.dependencies.wait(
              for: wait.duration, floor: wait.floor, signal: client.storage.connectivityHint)
          }
          try Task.checkCancellation()
        } catch {
          failure.kind = .cancelled
          report((failure.metrics ?? HTTPMetrics()).with(counts), status: failure.status, error: failure)
          throw failure
        }
        retries.beginAttempt()
      }
    }
  }

  private func report(_ metrics: HTTPMetrics, status: Int?, error: HTTPError?) {
    configuration.logger?.logFinished(request, status: status, metrics: metrics, error: error)
    configuration.metrics?(RequestReport(name: request.name, status: status, metrics: metrics, error: error))
  }

  /// Returns the request with the bytes that each attempt sends.
  private func prepareRequest(readingWhole readsWhole: Bool) throws(HTTPError) -> HTTPRequest {
    do throws(HTTPError) {
      var request = request
      if readsWhole { request.readsWholeBody = true }
      if case .encodable(let value)? = request.body?.content {
        request.body?.content = .data(try client.encode(value))
      }
      request.body = request.body?.streamedIfSpecialFile
      if let key = request.idempotencyKey {
        guard let value = configuration.idempotencyHeader.value(of: key) else {
          throw HTTPError(.invalidRequest(.idempotencyKey), delivery: .notSent)
        }
        request.headers[configuration.idempotencyHeader.name] = value
      }
      return request
    } catch {
      throw configuration.reportUnsentRequest(request.name, error)
    }
  }

  nonisolated(nonsending) private func sendThroughInterceptors(
    _ request: HTTPRequest, from place: Int, _ redirects: CallState
  ) async throws(HTTPError) -> StreamedResponse {
    guard place < configuration.interceptors.count else { return try await sendAuthenticated(request, redirects) }
    return try await configuration.interceptors[place].intercept(request) {
      (changed) async throws(HTTPError) -> StreamedResponse in
      try await sendThroughInterceptors(changed, from: place + 1, redirects)
    }
  }

  /// Sends a request and follows redirects, including the parts that a transport cannot know of.
  nonisolated(nonsending) func sendFollowingRedirects(
    _ request: HTTPRequest, _ redirects: CallState
  ) async throws(HTTPError) -> StreamedResponse {
    let redirect = RedirectHandler(client: client, limit: self.request.limits.redirects)
    let elapsed = configuration.dependencies.makeStopwatch()
    let total = request.deadlines.total
    let first = request
    var request = request
    if redirects.wouldRepeatCompletedRequest(request) {
      throw HTTPError(.redirect(.alreadyProcessed), delivery: .maybeSent)
    }
    // A redirected request that an earlier attempt has completed is not repeated: this attempt begins at the response's address.
    var answered = redirects.beginSending(request)
    // The addresses so far, from the first redirect on.
    var chain: [URL] = answered.isEmpty ? [] : [request.url]
    for head in answered {
      let next = try redirect.nextRequest(after: head, of: request, along: chain)
      chain.append(next.url)
      if !next.url.hasSameOrigin(as: request.url) { redirects.hasCrossedOrigin = true }
      request = next
    }
    while true {
      let response: StreamedResponse
      do throws(HTTPError) {
        response = try await client.transport.send(request)
      } catch {
        throw answered.isEmpty ? error : error.afterRedirects(answered, at: request.url)
      }
      guard RedirectHandler.isRedirect(response.head) else {
        redirects.recordResponse(to: first, head: response.head)
        // A part whose position in the whole is unknown.
        if response.status == 206, request.headers["Range"] == nil {
          response.body.cancel()
          throw HTTPError(.unacceptableStatus(206), delivery: .responded).withResponseHead(response.head)
        }
        return response
      }
      answered.append(response.head)
      redirects.redirectCount = answered.count
      response.body.cancel()
      if chain.isEmpty { chain = [request.url] }
      let next = try redirect.nextRequest(after: response.head, of: request, along: chain)
      chain.append(next.url)
      if !next.url.hasSameOrigin(as: request.url) { redirects.hasCrossedOrigin = true }
      if next.method != request.method { redirects.recordCompletion(of: first, after: answered) }
      request = next
      if let total {
        let left = total - elapsed()
        guard left > .zero else { throw HTTPError(.deadline(.total), delivery: .maybeSent) }
        request.deadlines.total = left
      }
    }
  }

  /// Returns a successful response. Any other status becomes an error, with the beginning of the body.
  nonisolated(nonsending) private func validate(_ response: StreamedResponse) async throws(HTTPError)
    -> StreamedResponse
  {
    // A 304 is the response to the request's own condition.
    if response.head.isSuccess { return try await rejectUnexpectedHTML(response) }
    if response.status == 304, request.hasCondition { return response }
    let body = await response.body.readPrefix(HTTPError.errorBodyLimit)
    var refusal = HTTPError(
      unacceptable: response.head, body: body, metrics: response.body.metrics, now: configuration.dependencies.now())
    if !response.head.url.hasSameOrigin(as: request.url) { refusal.redirectedTo = response.head.url.origin }
    throw refusal
  }
}

extension StreamedResponse {
  /// Returns the metrics of an exchange whose response has no body. The exchange ends when the empty body is read.
  nonisolated(nonsending) fileprivate func finishWithoutBody() async -> HTTPMetrics {
    _ = await body.readPrefix(1)
    return body.metrics
  }
}

extension HTTPError {
  /// Returns the error of a request that redirects had sent to another address.
  fileprivate func afterRedirects(_ answered: [ResponseHead], at url: URL) -> HTTPError {
    // The address comes from the redirect, which is at fault.
    if kind == .invalidRequest(.url), let last = answered.last {
      return HTTPError(.redirect(.noLocation), delivery: .responded).withResponseHead(last)
    }
    var known = asMaybeSent
    known.redirectedTo = url.origin
    return known
  }

  /// Returns the error with the status and the header of a response.
  func withResponseHead(_ head: ResponseHead) -> HTTPError {
    var known = self
    known.status = head.status
    known.headers = head.headers
    return known
  }
}
