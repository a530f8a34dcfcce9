import LarderSupport

// What the source is asked, for all who wait.

extension BearerAuthentication {
  /// Sends for a token, by a task that is of nobody who waits.
  func startRefresh(_ memory: inout CredentialState, waiters: [Int: CredentialState.Waiter] = [:]) {
    let number = memory.makeID()
    let old = memory.currentToken
    memory.inFlightRefresh = CredentialState.InFlightRefresh(
      id: number, isAfterRejection: old?.isRejected ?? false, waiters: waiters)
    // A task of its own: it is of all who wait, and ends with none of them.
    let work = runSerially(number, &memory) { [self] in
      // Who has signed in or out while this waited for its turn does not want the source to be asked.
      guard self.credentials.withLock({ $0.inFlightRefresh?.id == number }) else { return }
      // Nor does anybody who was cancelled before it; and what fails for that alone would pass for an answer that is lost.
      guard !Task.isCancelled else { return finishRefresh(number, with: .failure(CancellationError())) }
      finishRefresh(number, with: await requestToken(replacing: old?.token))
    }
    memory.inFlightRefresh?.task = work
  }

  private func requestToken(replacing old: BearerToken?) async -> Result<BearerToken, any Error> {
    do {
      var token: BearerToken
      if let old {
        token = try await refreshToken(old)
      } else {
        guard let stored = try await source.token() else { throw CredentialsRejectedError() }
        token = stored
        if let lifetime = stored.lifetime, lifetime <= age(of: stored) { token = try await refreshToken(stored) }
      }
      guard !token.value.isEmpty else { return .failure(CredentialsRejectedError()) }
      // Each request would be refused here for the token's life, and none of them be the reason.
      guard HTTPHeaders.isValidValue(token.value) else {
        return .failure(HTTPError(.invalidRequest(.header(name: "Authorization")), delivery: .notSent))
      }
      return .success(token)
    } catch {
      return .failure(error)
    }
  }

  private func refreshToken(_ old: BearerToken) async throws -> BearerToken {
    do {
      return try await source.refresh(old)
    } catch  where source.rotatesRefreshTokens && TokenFailureKind.mayHaveCompleted(error) {
      throw RefreshResponseLostError(underlying: error)
    }
  }

  private func finishRefresh(_ number: Int, with result: Result<BearerToken, any Error>) {
    let told = credentials.withLock {
      memory -> (waiters: [Int: CredentialState.Waiter], result: Result<CachedToken, HTTPError>)? in
      // Who has signed in or out meanwhile does not want it any more.
      guard memory.inFlightRefresh?.id == number, let flight = memory.removeInFlightRefresh() else { return nil }
      let outcome = applyRefreshResult(result, of: flight, &memory)
      if case .failure = outcome, flight.isCancelled, !flight.waiters.isEmpty, memory.state == .ready {
        // Who has come since it was cancelled waits for one that is not.
        startRefresh(&memory, waiters: flight.waiters)
        return nil
      }
      return (flight.waiters, outcome)
    }
    guard let told else { return }
    for waiter in told.waiters.values { waiter.resume(returning: told.result) }
  }

  private func applyRefreshResult(
    _ result: Result<BearerToken, any Error>, of flight: CredentialState.InFlightRefresh,
    _ memory: inout CredentialState
  ) -> Result<CachedToken, HTTPError> {
    switch result {
    case .success(let token):
      // Tokens that expire are no storm, however often they do.
      if flight.isAfterRejection {
        memory.refreshLimiter.recordRefresh(at: elapsed())
        memory.rejectionLimiter.recordRefresh(at: elapsed())
      }
      var held = cache(token, &memory)
      held.isAfterRejection = flight.isAfterRejection
      memory.currentToken = held
      return .success(held)
    case .failure(let error):
      switch TokenFailureKind(error) {
      case .needsSignIn(let reason):
        memory.transition(to: .needsSignIn, because: reason)
        return .failure(HTTPError(.needsSignIn, delivery: .notSent, underlying: reason))
      case .transient(let failure): return .failure(failure)
      case .unknown(let failure):
        if !flight.isCancelled { memory.refreshLimiter.recordRefresh(at: elapsed()) }
        return .failure(failure)
      }
    }
  }
}
