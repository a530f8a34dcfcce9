import LarderSupport

extension BearerAuthentication {
  /// A token to send.
  ///
  /// - Parameters:
  ///   - session: When the request was made, by ``loginID``. One of a former user has no token.
  ///   - limit: How long to wait for one.
  func usableToken(login session: Int, within limit: Duration?) async throws(HTTPError) -> CachedToken {
    try await token(.unexpired, login: session, within: limit)
  }

  /// Another token than one that was refused: the one at hand where that is newer, or what a refresh gives.
  func replacementToken(for held: CachedToken, login session: Int, within limit: Duration?) async throws(HTTPError)
    -> CachedToken
  {
    try await token(.newer(than: held.id), login: session, within: limit)
  }

  /// Which user's requests are made now.
  var loginID: Int { credentials.withLock { $0.loginID } }

  /// Whether another token may be asked for because this one was refused. Where too many were, some requests are refused
  /// whatever they show, and others may go on.
  func mayReplace(_ held: CachedToken) -> Bool {
    credentials.withLock { memory in
      guard memory.inFlightRefresh == nil, memory.currentToken?.id == held.id else { return true }
      // Where none was of help, the user is asked instead.
      return !memory.refreshLimiter.allowsRefresh(at: elapsed()) || memory.rejectionLimiter.allowsRefresh(at: elapsed())
    }
  }

  /// A server has done what a request with this token asked for, or has refused it for another reason: the refresh that
  /// gave it was of help.
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

  /// Waits for the token that is on its way, or sends for one. Returns what is known at once.
  private func enqueueWaiter(
    _ continuation: CredentialState.Waiter.Continuation, id number: Int, for need: CredentialState.TokenRequirement,
    login session: Int,
    within limit: Duration?
  ) -> Result<CachedToken, HTTPError>? {
    credentials.withLock { memory in
      // Who was cancelled before has left already, and would not be told again.
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
        // Who comes late was refused with another one than that which is at hand, and has only expired.
        if case .newer(let refused) = need, memory.currentToken?.id == refused {
          memory.currentToken?.isRejected = true
        }
        startRefresh(&memory)
      }
      // Somebody waits again.
      memory.inFlightRefresh?.abandonmentTimer?.cancel()
      memory.inFlightRefresh?.abandonmentTimer = nil
      // From within the lock, so that nobody is to leave before he has come. Real time, as a transport's own deadlines are:
      // the source waits for a network.
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
