extension BearerAuthentication {
  /// A token to send.
  ///
  /// - Parameters:
  ///   - session: When the request was made, by ``session``. One of a former user has no token.
  ///   - limit: How long to wait for one.
  func usable(in session: Int, within limit: Duration?) async throws(HTTPError) -> HeldToken {
    try await token(.usable, in: session, within: limit)
  }

  /// Another token than one that was refused: the one at hand where that is newer, or what a refresh gives.
  func newer(than held: HeldToken, in session: Int, within limit: Duration?) async throws(HTTPError) -> HeldToken {
    try await token(.newer(than: held.number), in: session, within: limit)
  }

  /// Which user's requests are made now.
  var session: Int { memory.withLock { $0.session } }

  /// Whether another token may be asked for because this one was refused. Where too many were, some requests are refused
  /// whatever they show, and others may go on.
  func mayReplace(_ held: HeldToken) -> Bool {
    memory.withLock { memory in
      guard memory.flight == nil, memory.held?.number == held.number else { return true }
      // Where none was of help, the user is asked instead.
      return !memory.storm.allows(at: elapsed()) || memory.refusals.allows(at: elapsed())
    }
  }

  /// A server has done what a request with this token asked for, or has refused it for another reason: the refresh that
  /// gave it was of help.
  func accepted(_ held: HeldToken) {
    guard held.isAfterRefusal else { return }
    memory.withLock { memory in
      guard memory.held?.number == held.number, memory.held?.isRefused == false else { return }
      memory.held?.isAfterRefusal = false
      memory.storm.reset()
    }
  }

  private func token(
    _ need: TokenMemory.Need, in session: Int, within limit: Duration?
  ) async throws(HTTPError) -> HeldToken {
    if let known = memory.withLock({ $0.answer(to: need, of: session, at: elapsed) }) { return try known.get() }
    let number = memory.withLock { $0.number() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let known = join(continuation, as: number, for: need, in: session, within: limit) {
          continuation.resume(returning: known)
        }
      }
    } onCancel: {
      leave(number, with: HTTPError(.cancelled, delivery: .notSent))
    }
    return try result.get()
  }

  /// Waits for the token that is on its way, or sends for one. Returns what is known at once.
  private func join(
    _ continuation: TokenMemory.Waiter.Continuation, as number: Int, for need: TokenMemory.Need, in session: Int,
    within limit: Duration?
  ) -> Result<HeldToken, HTTPError>? {
    memory.withLock { memory in
      // Who was cancelled before has left already, and would not be told again.
      if Task.isCancelled { return .failure(HTTPError(.cancelled, delivery: .notSent)) }
      if let known = memory.answer(to: need, of: session, at: elapsed) { return known }
      if isWithinWork(memory) {
        return .failure(HTTPError(.invalidRequest(.credentialsOfItself), delivery: .notSent))
      }
      if memory.flight == nil {
        guard memory.storm.allows(at: elapsed()) else {
          memory.become(.needsSignIn)
          return .failure(HTTPError(.needsSignIn, delivery: .notSent))
        }
        // Who comes late was refused with another one than that which is at hand, and has only expired.
        if case .newer(let refused) = need, memory.held?.number == refused { memory.held?.isRefused = true }
        begin(&memory)
      }
      // Somebody waits again.
      memory.flight?.watch?.cancel()
      memory.flight?.watch = nil
      // From within the lock, so that nobody is to leave before he has come. Real time, as a transport's own deadlines are:
      // the source waits for a network.
      let deadline = limit.map { limit in
        Task {
          try await Task.sleep(for: min(limit, .longestWait))
          leave(number, with: HTTPError(.deadline(.total), delivery: .notSent))
        }
      }
      memory.flight?.waiters[number] = TokenMemory.Waiter(continuation: continuation, deadline: deadline)
      return nil
    }
  }

  private func begin(_ memory: inout TokenMemory, waiters: [Int: TokenMemory.Waiter] = [:]) {
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

  // MARK: - Leaving

  private func leave(_ number: Int, with error: HTTPError) {
    let waiter = memory.withLock { memory in
      let waiter = memory.flight?.waiters.removeValue(forKey: number)
      // Who signs in waits for it himself.
      if waiter != nil, let flight = memory.flight, flight.waiters.isEmpty, !flight.isCancelled, flight.watch == nil,
        !flight.isSignIn
      {
        let number = flight.number
        memory.flight?.watch = Task {
          guard (try? await clock.wait(for: Self.abandonedRefreshLimit)) != nil else { return }
          abandon(number)
        }
      }
      return waiter
    }
    waiter?.resume(returning: .failure(error))
  }

  /// Cancels a refresh that nobody has waited for in time. It stays the one that is on its way until it has ended.
  private func abandon(_ number: Int) {
    let task = memory.withLock { memory -> Task<Void, Never>? in
      guard memory.flight?.number == number, memory.flight?.waiters.isEmpty == true else { return nil }
      memory.flight?.isCancelled = true
      return memory.flight?.task
    }
    task?.cancel()
  }
}
