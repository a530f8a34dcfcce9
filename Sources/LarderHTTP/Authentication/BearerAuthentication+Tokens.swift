import LarderSupport

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
}
