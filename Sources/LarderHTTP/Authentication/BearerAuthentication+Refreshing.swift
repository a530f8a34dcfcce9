import LarderSupport

// Refreshes, each shared by all waiting requests.

extension BearerAuthentication {
  /// Starts a refresh in a task that belongs to none of the waiting requests.
  func startRefresh(_ memory: inout CredentialState, waiters: [Int: CredentialState.Waiter] = [:]) {
    let number = memory.makeID()
    let old = memory.currentToken
    memory.inFlightRefresh = CredentialState.InFlightRefresh(
      id: number, isAfterRejection: old?.isRejected ?? false, waiters: waiters)
    // A separate task: all waiting requests share it, and the cancellation of one of them does not end it.
    let work = runSerially(number, &memory) { [self] in
      // After a sign-in or a sign-out while this refresh waited for its turn, the source must not be called.
      guard self.credentials.withLock({ $0.inFlightRefresh?.id == number }) else { return }
      // The same after a cancellation. An error caused by the cancellation alone would be taken for a lost response.
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
      // An invalid token would fail each request here for the token's whole life, without a request being the reason.
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
      // After a sign-in or a sign-out in the meantime, the result is dropped.
      guard memory.inFlightRefresh?.id == number, let flight = memory.removeInFlightRefresh() else { return nil }
      let outcome = applyRefreshResult(result, of: flight, &memory)
      if case .failure = outcome, flight.isCancelled, !flight.waiters.isEmpty, memory.state == .ready {
        // Requests that came after the cancellation wait for a new refresh.
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
      // Expired tokens are no refresh storm, however often they expire.
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
