import LarderSupport

extension BearerAuthentication {
  /// The user has signed in: requests are made with this token from now on.
  ///
  /// ```swift
  /// await bearer.signedIn(BearerToken(answer.accessToken, expiresIn: answer.expiresIn))
  /// ```
  ///
  /// A refresh for whoever was signed in before is cancelled, and what it gives is not used. When this returns, it has
  /// ended: what is stored after that stays. A source that does not end when it is cancelled holds this up. Where the
  /// refresh token is stored, use ``signedIn(_:asSameUser:keeping:)``.
  ///
  /// The source's own work does not wait for itself: called within it, also by a task that it has begun and that does not
  /// outlive it, this returns at once.
  ///
  /// - Parameters:
  ///   - token: What is shown from then on.
  ///   - isSame: Whether this is who was signed in before. Then requests that were made before are sent with this token,
  ///     or sent again with it where they are refused. Otherwise they are somebody else's, are never sent in this user's
  ///     name, and fail with ``HTTPError/Kind/needsSignIn`` and ``AnotherUserSignedIn``. Those from before ``signOut()``
  ///     do so in either case.
  public func signedIn(_ token: BearerToken, asSameUser isSame: Bool = false) async {
    let (flight, result, tail) = memory.withLock { memory in
      if !isSame { memory.beginSession() }
      let held = hold(token, &memory)
      memory.reset()
      memory.become(.ready)
      return (
        memory.endFlight(), isSame ? Result.success(held) : .failure(HTTPError.anotherUserSignedIn), before(in: memory)
      )
    }
    flight?.task?.cancel()
    flight?.tell(result)
    await tail?.value
  }

  /// The user has signed in: stores what is to be kept of that, then makes requests with this token.
  ///
  /// ```swift
  /// let granted = try await plain.request(.signIn(user: user, password: password))
  /// try await bearer.signedIn(granted.token) { try await vault.keep(granted) }
  /// ```
  ///
  /// A refresh for whoever was signed in before is cancelled first, and has ended when `keep` begins: nothing that it
  /// stores comes after what `keep` does. Requests that are made meanwhile wait for this.
  ///
  /// - Parameters:
  ///   - token: What is shown from then on.
  ///   - isSame: Whether this is who was signed in before: see ``signedIn(_:asSameUser:)``. Requests of theirs that wait for
  ///     a refresh wait for this instead.
  ///   - keep: Stores what the source needs for the next refresh. A request that it makes through a client with this
  ///     authentication would wait for itself, and fails. One made for it by a task that `keep` has not begun itself
  ///     (`Task.detached`, or an actor's worker that ran before) is not known for its own: it waits until its total time is
  ///     over. `keep` is cancelled where the caller is, and where somebody signs in or out meanwhile; it does not begin
  ///     where that was before its turn.
  /// - Throws: What `keep` throws; `CancellationError` where it did not begin, and where somebody has signed in or out
  ///   meanwhile. In the first two cases nobody is signed in then: requests fail with ``HTTPError/Kind/needsSignIn``, whose
  ///   ``HTTPError/underlying`` is the error, until the user signs in anew. In the last one it is as those have said.
  public func signedIn(
    _ token: BearerToken, asSameUser isSame: Bool = false, keeping keep: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (flight, kept) = memory.withLock { memory in
      let flight = memory.endFlight()
      if !isSame { memory.beginSession() }
      // Who was signed in before is so no more, whatever comes of this.
      memory.held = nil
      let number = memory.number()
      memory.flight = TokenMemory.Flight(
        number: number, isAfterRefusal: false, isSignIn: true, waiters: isSame ? flight?.waiters ?? [:] : [:])
      let kept = inTurn(number, &memory) { [self] () -> (any Error)? in
        do {
          // Nor is anything stored for whoever others have signed in or out after.
          guard !Task.isCancelled, self.memory.withLock({ $0.flight?.number == number }) else {
            throw CancellationError()
          }
          try await keep()
        } catch {
          _ = settle(number, signedIn: .failure(error))
          return error
        }
        return settle(number, signedIn: .success(token)) ? nil : CancellationError()
      }
      // It is cancelled by whoever signs in or out meanwhile.
      memory.flight?.task = Task {
        await withTaskCancellationHandler {
          _ = await kept.value
        } onCancel: {
          kept.cancel()
        }
      }
      return (flight, kept)
    }
    let error = await withTaskCancellationHandler {
      flight?.task?.cancel()
      if !isSame { flight?.tell(.failure(.anotherUserSignedIn)) }
      return await kept.value
    } onCancel: {
      kept.cancel()
    }
    if let error { throw error }
  }

  /// Returns whether it is of any account: who has signed in or out meanwhile does not want it any more.
  private func settle(_ number: Int, signedIn result: Result<BearerToken, any Error>) -> Bool {
    let told = memory.withLock {
      memory -> (waiters: [Int: TokenMemory.Waiter], result: Result<HeldToken, HTTPError>)? in
      guard memory.flight?.number == number, let flight = memory.endFlight() else { return nil }
      memory.reset()
      switch result {
      case .success(let token):
        memory.become(.ready)
        return (flight.waiters, .success(hold(token, &memory)))
      case .failure(let error):
        // What is stored may be of whoever was signed in before, and the source would go on with that.
        memory.become(.needsSignIn, because: error)
        return (flight.waiters, .failure(HTTPError(.needsSignIn, delivery: .notSent, underlying: error)))
      }
    }
    guard let told else { return false }
    for waiter in told.waiters.values { waiter.resume(returning: told.result) }
    return true
  }

  /// The user has signed out: the token is forgotten, and requests fail until ``signedIn(_:asSameUser:)``.
  ///
  /// ```swift
  /// await bearer.signOut()
  /// try keychain.removeAll()
  /// ```
  ///
  /// Requests that were made before are not sent any more, nor replayed, whoever signs in afterwards.
  ///
  /// A refresh that is on its way is cancelled, and what it gives is not used. When this returns, it has ended: what is
  /// removed after that is not stored again. A source that does not end when it is cancelled holds this up; requests fail
  /// from the beginning.
  ///
  /// The source's own work does not wait for itself: called within it, also by a task that it has begun and that does not
  /// outlive it, this returns at once, and the work may still store what it was given. Sign out from elsewhere, or by
  /// `Task.detached`, to wait for it.
  public func signOut() async {
    let (flight, tail) = memory.withLock { memory in
      memory.beginSession()
      memory.held = nil
      memory.become(.needsSignIn)
      return (memory.endFlight(), before(in: memory))
    }
    flight?.task?.cancel()
    flight?.tell(.failure(HTTPError(.needsSignIn, delivery: .notSent)))
    await tail?.value
  }

  /// A token as it is held from now on.
  func hold(_ token: BearerToken, _ memory: inout TokenMemory) -> HeldToken {
    let held = HeldToken(token, number: memory.number(), at: elapsed(), age: age(of: token), leeway: leeway)
    memory.held = held
    return held
  }

  /// How long ago a token was made: its lifetime goes on while something is done with it. By a clock of its own, the time
  /// between is not known.
  func age(of token: BearerToken) -> Duration { clock is ContinuousClock ? token.made.duration(to: .now) : .zero }
}

extension HTTPError {
  static var anotherUserSignedIn: HTTPError {
    HTTPError(.needsSignIn, delivery: .notSent, underlying: AnotherUserSignedIn())
  }
}

extension TokenMemory.Flight {
  /// Tells those who wait.
  func tell(_ result: Result<HeldToken, HTTPError>) {
    for waiter in waiters.values { waiter.resume(returning: result) }
  }
}
