import LarderSupport

// What the source is asked, for all who wait.

extension BearerAuthentication {
  /// Sends for a token, by a task that is of nobody who waits.
  func begin(_ memory: inout TokenMemory, waiters: [Int: TokenMemory.Waiter] = [:]) {
    let number = memory.number()
    let old = memory.held
    memory.flight = TokenMemory.Flight(number: number, isAfterRefusal: old?.isRefused ?? false, waiters: waiters)
    // A task of its own: it is of all who wait, and ends with none of them.
    let work = inTurn(number, &memory) { [self] in
      // Who has signed in or out while this waited for its turn does not want the source to be asked.
      guard self.memory.withLock({ $0.flight?.number == number }) else { return }
      // Nor does anybody who was cancelled before it; and what fails for that alone would pass for an answer that is lost.
      guard !Task.isCancelled else { return ended(number, with: .failure(CancellationError())) }
      ended(number, with: await asked(old?.token))
    }
    memory.flight?.task = work
  }

  private func asked(_ old: BearerToken?) async -> Result<BearerToken, any Error> {
    do {
      var token: BearerToken
      if let old {
        token = try await refreshed(old)
      } else {
        guard let stored = try await source.token() else { throw CredentialsRefused() }
        token = stored
        if let lifetime = stored.lifetime, lifetime <= age(of: stored) { token = try await refreshed(stored) }
      }
      guard !token.value.isEmpty else { return .failure(CredentialsRefused()) }
      // Each request would be refused here for the token's life, and none of them be the reason.
      guard HTTPHeaders.isSendable(token.value) else {
        return .failure(HTTPError(.invalidRequest(.header(name: "Authorization")), delivery: .notSent))
      }
      return .success(token)
    } catch {
      return .failure(error)
    }
  }

  private func refreshed(_ old: BearerToken) async throws -> BearerToken {
    do {
      return try await source.refresh(old)
    } catch  where source.rotatesRefreshTokens && TokenFailure.leavesOpen(error) {
      throw RefreshAnswerLost(underlying: error)
    }
  }

  private func ended(_ number: Int, with result: Result<BearerToken, any Error>) {
    let told = memory.withLock {
      memory -> (waiters: [Int: TokenMemory.Waiter], result: Result<HeldToken, HTTPError>)? in
      // Who has signed in or out meanwhile does not want it any more.
      guard memory.flight?.number == number, let flight = memory.endFlight() else { return nil }
      let outcome = outcome(of: result, of: flight, &memory)
      if case .failure = outcome, flight.isCancelled, !flight.waiters.isEmpty, memory.state == .ready {
        // Who has come since it was cancelled waits for one that is not.
        begin(&memory, waiters: flight.waiters)
        return nil
      }
      return (flight.waiters, outcome)
    }
    guard let told else { return }
    for waiter in told.waiters.values { waiter.resume(returning: told.result) }
  }

  private func outcome(
    of result: Result<BearerToken, any Error>, of flight: TokenMemory.Flight, _ memory: inout TokenMemory
  ) -> Result<HeldToken, HTTPError> {
    switch result {
    case .success(let token):
      // Tokens that expire are no storm, however often they do.
      if flight.isAfterRefusal {
        memory.storm.note(at: elapsed())
        memory.refusals.note(at: elapsed())
      }
      var held = hold(token, &memory)
      held.isAfterRefusal = flight.isAfterRefusal
      memory.held = held
      return .success(held)
    case .failure(let error):
      switch TokenFailure(error) {
      case .refused(let reason):
        memory.become(.needsSignIn, because: reason)
        return .failure(HTTPError(.needsSignIn, delivery: .notSent, underlying: reason))
      case .passing(let failure): return .failure(failure)
      case .unclear(let failure):
        if !flight.isCancelled { memory.storm.note(at: elapsed()) }
        return .failure(failure)
      }
    }
  }
}
