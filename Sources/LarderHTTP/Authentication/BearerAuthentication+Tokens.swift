import LarderSupport

extension BearerAuthentication {
  /// Returns a token that has not expired, refreshed if needed.
  ///
  /// - Parameters:
  ///   - session: The value of ``loginID`` when the request was made. A request of a previous user gets no token.
  ///   - limit: The longest wait.
  func usableToken(login session: Int, within limit: Duration?) async throws(HTTPError) -> CachedToken {
    try await token(.unexpired, login: session, within: limit)
  }

  /// Returns a token other than the refused one: the current token if it is newer, or else the result of a refresh.
  func replacementToken(for held: CachedToken, login session: Int, within limit: Duration?) async throws(HTTPError)
    -> CachedToken
  {
    try await token(.newer(than: held.id), login: session, within: limit)
  }

  /// The number of the sign-in under which requests are made now.
  var loginID: Int { credentials.withLock { $0.loginID } }

  /// Returns whether the refusal of this token may cause a refresh. After too many refreshes, some requests are refused with
  /// any token, and the others may continue.
  func mayReplace(_ held: CachedToken) -> Bool {
    credentials.withLock { memory in
      guard memory.inFlightRefresh == nil, memory.currentToken?.id == held.id else { return true }
      // If none of the refreshes helped, the user is asked instead.
      return !memory.refreshLimiter.allowsRefresh(at: elapsed()) || memory.rejectionLimiter.allowsRefresh(at: elapsed())
    }
  }

  /// Records that a server has accepted this token, or has refused the request for another reason: the refresh that
  /// returned the token helped.
  func recordAcceptance(of held: CachedToken) {
    guard held.isAfterRejection else { return }
    credentials.withLock { memory in
      guard memory.currentToken?.id == held.id, memory.currentToken?.isRejected == false else { return }
      memory.currentToken?.isAfterRejection = false
      memory.refreshLimiter.reset()
    }
  }

  private func token(
    _ need: CredentialState.TokenRequirement, login session: Int, within limit: Duration?
  ) async throws(HTTPError) -> CachedToken {
    if let known = credentials.withLock({ $0.immediateResult(for: need, login: session, at: elapsed) }) {
      return try known.get()
    }
    let number = credentials.withLock { $0.makeID() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let known = enqueueWaiter(continuation, id: number, for: need, login: session, within: limit) {
          continuation.resume(returning: known)
        }
      }
    } onCancel: {
      removeWaiter(number, with: HTTPError(.cancelled, delivery: .notSent))
    }
    return try result.get()
  }

  /// Adds a waiting request to the refresh in flight, or starts one. Returns the result instead if it is known at once.
  private func enqueueWaiter(
    _ continuation: CredentialState.Waiter.Continuation, id number: Int, for need: CredentialState.TokenRequirement,
    login session: Int,
    within limit: Duration?
  ) -> Result<CachedToken, HTTPError>? {
    credentials.withLock { memory in
      // The cancellation handler of a task that was cancelled earlier has run already, and would not resume this waiter.
      if Task.isCancelled { return .failure(HTTPError(.cancelled, delivery: .notSent)) }
      if let known = memory.immediateResult(for: need, login: session, at: elapsed) { return known }
      if isWithinOperation(memory) {
        return .failure(HTTPError(.invalidRequest(.recursiveAuthentication), delivery: .notSent))
      }
      if memory.inFlightRefresh == nil {
        guard memory.refreshLimiter.allowsRefresh(at: elapsed()) else {
          memory.transition(to: .needsSignIn)
          return .failure(HTTPError(.needsSignIn, delivery: .notSent))
        }
        // A late request was refused with an older token; the current one has only expired.
        if case .newer(let refused) = need, memory.currentToken?.id == refused {
          memory.currentToken?.isRejected = true
        }
        startRefresh(&memory)
      }
      // A request waits again.
      memory.inFlightRefresh?.abandonmentTimer?.cancel()
      memory.inFlightRefresh?.abandonmentTimer = nil
      // Under the lock, so that no waiter is removed before it is added. In real time, like a transport's own deadlines: the
      // source waits for a network.
      let deadline = limit.map { limit in
        Task {
          try await Task.sleep(for: min(limit, .maximumWait))
          removeWaiter(number, with: HTTPError(.deadline(.total), delivery: .notSent))
        }
      }
      memory.inFlightRefresh?.waiters[number] = CredentialState.Waiter(continuation: continuation, timeout: deadline)
      return nil
    }
  }
}
