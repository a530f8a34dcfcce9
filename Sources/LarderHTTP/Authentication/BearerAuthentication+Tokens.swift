extension BearerAuthentication {
  /// A token to send.
  ///
  /// - Parameter limit: How long to wait for one.
  func usable(within limit: Duration?) async throws(HTTPError) -> HeldToken { try await token(.usable, within: limit) }

  /// Another token than one that was refused: the one at hand where that is newer, or what a refresh gives.
  func newer(than held: HeldToken, within limit: Duration?) async throws(HTTPError) -> HeldToken {
    try await token(.newer(than: held.number), within: limit)
  }

  private func token(_ need: TokenMemory.Need, within limit: Duration?) async throws(HTTPError) -> HeldToken {
    if let known = memory.withLock({ $0.answer(to: need, at: elapsed) }) { return try known.get() }
    let number = memory.withLock { $0.number() }
    // Real time, as a transport's own deadlines are: the source waits for a network.
    let deadline = limit.map { limit in
      Task {
        try await Task.sleep(for: limit)
        leave(number, with: HTTPError(.deadline(.total), delivery: .notSent))
      }
    }
    defer { deadline?.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        if let known = join(waiter, as: number, for: need) { waiter.resume(returning: known) }
      }
    } onCancel: {
      leave(number, with: HTTPError(.cancelled, delivery: .notSent))
    }
    return try result.get()
  }

  /// Waits for the token that is on its way, or sends for one. Returns what is known at once.
  private func join(
    _ waiter: TokenMemory.Waiter, as number: Int, for need: TokenMemory.Need
  ) -> Result<HeldToken, HTTPError>? {
    memory.withLock { memory in
      // Who was cancelled before has left already, and would not be told again.
      if Task.isCancelled { return .failure(HTTPError(.cancelled, delivery: .notSent)) }
      if let known = memory.answer(to: need, at: elapsed) { return known }
      if memory.flight == nil {
        guard memory.storm.allows(at: elapsed()) else {
          memory.become(.needsSignIn)
          return .failure(HTTPError(.needsSignIn, delivery: .notSent))
        }
        begin(&memory, for: need)
      }
      memory.flight?.waiters[number] = waiter
      return nil
    }
  }

  private func begin(_ memory: inout TokenMemory, for need: TokenMemory.Need) {
    if case .newer = need { memory.held?.isRefused = true }
    let number = memory.number()
    let old = memory.held
    memory.flight = TokenMemory.Flight(number: number, isAfterRefusal: old?.isRefused ?? false)
    // A task of its own: it is of all who wait, and ends with none of them.
    memory.flight?.task = Task { ended(number, with: await asked(old?.token)) }
  }

  private func asked(_ old: BearerToken?) async -> Result<BearerToken, any Error> {
    do {
      var token: BearerToken
      if let old {
        token = try await source.refresh(old)
      } else {
        guard let stored = try await source.token() else { throw CredentialsRefused() }
        token = stored
        if let lifetime = stored.lifetime, lifetime <= .zero { token = try await source.refresh(stored) }
      }
      return token.value.isEmpty ? .failure(CredentialsRefused()) : .success(token)
    } catch {
      return .failure(error)
    }
  }

  private func ended(_ number: Int, with result: Result<BearerToken, any Error>) {
    let told = memory.withLock {
      memory -> (waiters: [Int: TokenMemory.Waiter], result: Result<HeldToken, HTTPError>)? in
      // Who has signed in or out meanwhile does not want it any more.
      guard memory.flight?.number == number, let flight = memory.endFlight() else { return nil }
      return (flight.waiters, outcome(of: result, isAfterRefusal: flight.isAfterRefusal, &memory))
    }
    guard let told else { return }
    for waiter in told.waiters.values { waiter.resume(returning: told.result) }
  }

  private func outcome(
    of result: Result<BearerToken, any Error>, isAfterRefusal: Bool, _ memory: inout TokenMemory
  ) -> Result<HeldToken, HTTPError> {
    switch result {
    case .success(let token):
      // Tokens that expire are no storm, however often they do.
      if isAfterRefusal { memory.storm.note(at: elapsed()) }
      let held = HeldToken(token, number: memory.number(), at: elapsed(), leeway: leeway)
      memory.held = held
      return .success(held)
    case .failure(let error):
      switch TokenFailure(error) {
      case .refused:
        memory.become(.needsSignIn)
        return .failure(HTTPError(.needsSignIn, delivery: .notSent))
      case .passing(let failure): return .failure(failure)
      case .unclear(let failure):
        memory.storm.note(at: elapsed())
        return .failure(failure)
      }
    }
  }

  // MARK: - Leaving

  private func leave(_ number: Int, with error: HTTPError) {
    let waiter = memory.withLock { memory in
      let waiter = memory.flight?.waiters.removeValue(forKey: number)
      if waiter != nil, let flight = memory.flight, flight.waiters.isEmpty, flight.watch == nil {
        let number = flight.number
        memory.flight?.watch = Task {
          try? await clock.wait(for: Self.abandonedRefreshLimit)
          abandon(number)
        }
      }
      return waiter
    }
    waiter?.resume(returning: .failure(error))
  }

  /// Ends a refresh that nobody has waited for in time.
  private func abandon(_ number: Int) {
    let task = memory.withLock { memory -> Task<Void, Never>? in
      guard memory.flight?.number == number else { return nil }
      memory.flight?.watch = nil
      guard memory.flight?.waiters.isEmpty == true else { return nil }
      return memory.endFlight()?.task
    }
    task?.cancel()
  }
}
