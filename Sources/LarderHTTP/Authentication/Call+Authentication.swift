import Foundation

extension HTTPClient {
  /// Returns the authentication of a request, or nil for none.
  func authentication(of request: HTTPRequest) -> ClientAuthentication? {
    switch request.authentication {
    case .none: return nil
    case .override(let own): return own
    case .client:
      guard let own = configuration.authentication, request.url.hasSameOrigin(as: baseURL) else { return nil }
      return own
    }
  }
}

extension Call {
  /// Returns the response to a request with credentials, or that of its replay if the credentials are refused.
  nonisolated(nonsending) func sendAuthenticated(
    _ request: HTTPRequest, _ redirects: CallState
  ) async throws(HTTPError) -> StreamedResponse {
    var request = request
    if request.hasCredentialsInURL {
      try checkTransportSecurity(of: request)
      try request.moveURLCredentialsToHeader()
    }
    let authentication = client.authentication(of: request)
    if authentication != nil { try checkTransportSecurity(of: request) }
    switch authentication {
    case nil: return try await sendFollowingRedirects(request, redirects)
    case .basic(let basic):
      var authorized = request
      try basic.authorize(&authorized)
      return try await sendFollowingRedirects(authorized, redirects)
    case .bearer(let bearer):
      // A request with its own credentials is sent without a token, and causes no refresh.
      guard request.headers["Authorization"] == nil else { return try await sendFollowingRedirects(request, redirects) }
      return try await send(request, redirects, authenticatedBy: bearer)
    case .custom(let custom): return try await send(request, redirects, authenticatedBy: custom)
    }
  }

  nonisolated(nonsending) private func send(
    _ request: HTTPRequest, _ redirects: CallState, authenticatedBy bearer: BearerAuthentication
  ) async throws(HTTPError) -> StreamedResponse {
    let elapsed = configuration.dependencies.makeStopwatch()
    // The login of the first attempt: another user may have signed in since.
    let session = redirects.loginID(for: bearer)
    let held = try await bearer.usableToken(login: session, within: request.deadlines.total)
    var authorized = try request.withRemainingTime(after: elapsed)
    authorized.headers["Authorization"] = held.headerValue
    let response = try await sendFollowingRedirects(authorized, redirects)
    recordAcceptance(response, of: held, by: bearer, redirects)
    guard response.status == 401, bearer.mayReplace(held), claimReplay(of: request, after: response, redirects) else {
      return response
    }
    // Read to its end, so that the connection can be used again.
    _ = await response.body.readPrefix(HTTPError.errorBodyLimit)
    let newer = try await bearer.replacementToken(
      for: held, login: session, within: try request.withRemainingTime(after: elapsed).deadlines.total)
    configuration.logger?.logReplay(of: request)
    authorized = try request.withRemainingTime(after: elapsed)
    authorized.headers["Authorization"] = newer.headerValue
    let answer = try await sendFollowingRedirects(authorized, redirects)
    recordAcceptance(answer, of: newer, by: bearer, redirects)
    return answer
  }

  /// Reports an accepted token to the authentication. A response that asks to wait, a proxy's, or a failed server's does not
  /// prove that the token was checked.
  private func recordAcceptance(
    _ response: StreamedResponse, of held: CachedToken, by bearer: BearerAuthentication, _ redirects: CallState
  ) {
    // Another origin did not receive the token.
    guard !redirects.hasCrossedOrigin, (200..<500).contains(response.status) else { return }
    if ![401, 407, 429].contains(response.status) { bearer.recordAcceptance(of: held) }
  }

  /// Rejects credentials over plain HTTP, where every party on the way can read them.
  private func checkTransportSecurity(of request: HTTPRequest) throws(HTTPError) {
    guard request.url.hasScheme("http"), !configuration.allowsCredentialsOverHTTP,
      !request.url.isLoopback
    else { return }
    throw HTTPError(.invalidRequest(.insecureCredentials), delivery: .notSent)
  }

  nonisolated(nonsending) private func send(
    _ request: HTTPRequest, _ redirects: CallState, authenticatedBy custom: any RequestAuthentication
  ) async throws(HTTPError) -> StreamedResponse {
    let elapsed = configuration.dependencies.makeStopwatch()
    var authorized = request
    try await custom.authorize(&authorized)
    authorized.headers.markSecrets(since: request.headers)
    let response = try await sendFollowingRedirects(
      try authorized.withRemainingTime(of: request, after: elapsed), redirects)
    guard claimReplay(of: authorized, after: response, redirects),
      try await custom.shouldReplay(authorized, after: response.head)
    else { return response }
    _ = await response.body.readPrefix(HTTPError.errorBodyLimit)
    configuration.logger?.logReplay(of: request)
    authorized = request
    try await custom.authorize(&authorized)
    authorized.headers.markSecrets(since: request.headers)
    return try await sendFollowingRedirects(try authorized.withRemainingTime(of: request, after: elapsed), redirects)
  }

  /// Returns whether a response refuses the credentials and a replay is left, and claims that replay. A request refused so was
  /// not processed (RFC 9110, section 15.5.2), whatever its method, unless a redirect followed its processing.
  private func claimReplay(
    of request: HTTPRequest, after response: StreamedResponse, _ redirects: CallState
  ) -> Bool {
    // Another origin did not receive the credentials that it refuses.
    response.status == 401 && (request.body?.isReplayable ?? true) && !redirects.hasCrossedOrigin
      // A request that an interceptor has sent elsewhere, and that was processed there, may not be the call's own: the replay
      // would send all of it again, and not only ask for its result.
      && (!redirects.hasCompletedForeignRequest || request.isRepeatable) && redirects.claimReplay()
  }
}

extension HTTPRequest {
  /// Returns the request with the rest of its total deadline.
  fileprivate func withRemainingTime(after elapsed: Stopwatch) throws(HTTPError) -> HTTPRequest {
    try withRemainingTime(of: self, after: elapsed)
  }

  /// Returns the request with the rest of another request's total deadline.
  fileprivate func withRemainingTime(of request: HTTPRequest, after elapsed: Stopwatch) throws(HTTPError) -> HTTPRequest
  {
    guard let total = request.deadlines.total else { return self }
    var late = self
    let left = total - elapsed()
    guard left > .zero else { throw HTTPError(.deadline(.total), delivery: .notSent) }
    late.deadlines.total = left
    return late
  }
}
