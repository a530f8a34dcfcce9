import Foundation

extension HTTPClient {
  /// Who a request is to be of; nil for nobody.
  func authentication(of request: HTTPRequest) -> ClientAuthentication? {
    switch request.authentication {
    case .none: return nil
    case .own(let own): return own
    case .client:
      guard let own = configuration.authentication, request.url.hasSameOrigin(as: baseURL) else { return nil }
      return own
    }
  }
}

extension Call {
  /// The response to a request with the credentials that it needs; where these are refused, to its replay.
  nonisolated(nonsending) func authenticated(
    _ request: HTTPRequest, _ redirects: AnsweredRedirects
  ) async throws(HTTPError) -> StreamedResponse {
    var request = request
    if request.hasCredentialsInAddress {
      try checkLine(of: request)
      try request.takeCredentialsFromAddress()
    }
    let authentication = client.authentication(of: request)
    if authentication != nil { try checkLine(of: request) }
    switch authentication {
    case nil: return try await redirected(request, redirects)
    case .basic(let basic):
      var authorized = request
      try basic.authorize(&authorized)
      return try await redirected(authorized, redirects)
    case .bearer(let bearer):
      // Who says himself who he is has no token, and none to refresh.
      guard request.headers["Authorization"] == nil else { return try await redirected(request, redirects) }
      return try await sent(request, redirects, by: bearer)
    case .custom(let custom): return try await sent(request, redirects, by: custom)
    }
  }

  nonisolated(nonsending) private func sent(
    _ request: HTTPRequest, _ redirects: AnsweredRedirects, by bearer: BearerAuthentication
  ) async throws(HTTPError) -> StreamedResponse {
    let elapsed = configuration.environment.stopwatch()
    // Of the user for whom the first attempt was made: another one may have signed in since.
    let session = redirects.session(of: bearer)
    let held = try await bearer.usable(in: session, within: request.deadlines.total)
    var authorized = try request.left(after: elapsed)
    authorized.headers["Authorization"] = held.field
    let response = try await redirected(authorized, redirects)
    note(response, to: held, of: bearer, redirects)
    guard response.status == 401, bearer.mayReplace(held), mayReplay(request, after: response, redirects) else {
      return response
    }
    // To its end, so that the connection can be used again.
    _ = await response.body.beginning(HTTPError.refusalBodyLimit)
    let newer = try await bearer.newer(
      than: held, in: session, within: try request.left(after: elapsed).deadlines.total)
    configuration.logger?.replaying(request)
    authorized = try request.left(after: elapsed)
    authorized.headers["Authorization"] = newer.field
    let answer = try await redirected(authorized, redirects)
    note(answer, to: newer, of: bearer, redirects)
    return answer
  }

  /// Tells the authentication of a token that was not refused. Who asks to wait, a proxy, and a server that has failed may
  /// not have looked at it.
  private func note(
    _ response: StreamedResponse, to held: HeldToken, of bearer: BearerAuthentication, _ redirects: AnsweredRedirects
  ) {
    // Another origin was not shown it.
    guard !redirects.hasLeftOrigin, (200..<500).contains(response.status) else { return }
    if ![401, 407, 429].contains(response.status) { bearer.accepted(held) }
  }

  /// Credentials that everybody on the way can read are everybody's.
  private func checkLine(of request: HTTPRequest) throws(HTTPError) {
    guard request.url.hasScheme("http"), !configuration.allowsCredentialsOverHTTP,
      !request.url.isLoopback
    else { return }
    throw HTTPError(.invalidRequest(.insecureCredentials), delivery: .notSent)
  }

  nonisolated(nonsending) private func sent(
    _ request: HTTPRequest, _ redirects: AnsweredRedirects, by custom: any RequestAuthentication
  ) async throws(HTTPError) -> StreamedResponse {
    let elapsed = configuration.environment.stopwatch()
    var authorized = request
    try await custom.authorize(&authorized)
    authorized.headers.markSecrets(since: request.headers)
    let response = try await redirected(try authorized.left(of: request, after: elapsed), redirects)
    guard mayReplay(authorized, after: response, redirects),
      try await custom.replays(authorized, after: response.head)
    else { return response }
    _ = await response.body.beginning(HTTPError.refusalBodyLimit)
    configuration.logger?.replaying(request)
    authorized = request
    try await custom.authorize(&authorized)
    authorized.headers.markSecrets(since: request.headers)
    return try await redirected(try authorized.left(of: request, after: elapsed), redirects)
  }

  /// Whether a response refuses the credentials, and another try is left. A request that is refused so was not acted upon
  /// (RFC 9110, section 15.5.2), whatever its method; unless it was redirected after it had been.
  private func mayReplay(
    _ request: HTTPRequest, after response: StreamedResponse, _ redirects: AnsweredRedirects
  ) -> Bool {
    // Another origin was not shown the credentials that it refuses.
    response.status == 401 && (request.body?.isReplayable ?? true) && !redirects.hasLeftOrigin
      // What an interceptor has sent elsewhere, and was done there, is not known to be the call's own: all of it would be
      // sent again, and not just the question for its answer.
      && (!redirects.hasDoneAnother || request.isRepeatable) && redirects.takeReplay()
  }
}

extension HTTPRequest {
  /// The same with what is left of its time.
  fileprivate func left(after elapsed: Stopwatch) throws(HTTPError) -> HTTPRequest {
    try left(of: self, after: elapsed)
  }

  /// The same with what is left of another one's time.
  fileprivate func left(of request: HTTPRequest, after elapsed: Stopwatch) throws(HTTPError) -> HTTPRequest {
    guard let total = request.deadlines.total else { return self }
    var late = self
    let left = total - elapsed()
    guard left > .zero else { throw HTTPError(.deadline(.total), delivery: .notSent) }
    late.deadlines.total = left
    return late
  }
}
