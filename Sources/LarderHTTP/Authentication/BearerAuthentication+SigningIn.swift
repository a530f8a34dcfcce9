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
  /// refresh token is stored, use ``signIn(with:asSameUser:storing:)``.
  ///
  /// The source's own work does not wait for itself: called within it, also by a task that it has begun and that does not
  /// outlive it, this returns at once.
  ///
  /// - Parameters:
  ///   - token: What is shown from then on.
  ///   - isSame: Whether this is who was signed in before. Then requests that were made before are sent with this token,
  ///     or sent again with it where they are refused. Otherwise they are somebody else's, are never sent in this user's
  ///     name, and fail with ``HTTPError/Kind/needsSignIn`` and ``UserChangedError``. Those from before ``signOut()``
  ///     do so in either case.
  public func signIn(with token: BearerToken, asSameUser isSame: Bool = false) async {
    let (flight, result, tail) = credentials.withLock { memory in
      if !isSame { memory.beginLogin() }
      let held = cache(token, &memory)
      memory.resetLimiters()
      memory.transition(to: .ready)
      return (
        memory.removeInFlightRefresh(), isSame ? Result.success(held) : .failure(HTTPError.userChanged),
        previousOperation(in: memory)
      )
    }
    flight?.task?.cancel()
    flight?.resumeWaiters(returning: result)
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
  ///   - isSame: Whether this is who was signed in before: see ``signIn(with:asSameUser:)``. Requests of theirs that wait for
  ///     a refresh wait for this instead.
  ///   - keep: Stores what the source needs for the next refresh. A request that it makes through a client with this
  ///     authentication would wait for itself, and fails. One made for it by a task that `keep` has not begun itself
  ///     (`Task.detached`, or an actor's worker that ran before) is not known for its own: it waits until its total time is
  ///     over. `keep` is cancelled where the caller is, and where somebody signs in or out meanwhile; it does not begin
  ///     where that was before its turn.
  /// - Throws: What `keep` throws; `CancellationError` where it did not begin, and where somebody has signed in or out
  ///   meanwhile. In the first two cases nobody is signed in then: requests fail with ``HTTPError/Kind/needsSignIn``, whose
  ///   ``HTTPError/underlying`` is the error, until the user signs in anew. In the last one it is as those have said.
  public func signIn(
    with token: BearerToken, asSameUser isSame: Bool = false, storing keep: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (flight, kept) = credentials.withLock { memory in
      let flight = memory.removeInFlightRefresh()
      if !isSame { memory.beginLogin() }
      // Who was signed in before is so no more, whatever comes of this.
      memory.currentToken = nil
      let number = memory.makeID()
      memory.inFlightRefresh = CredentialState.InFlightRefresh(
        id: number, isAfterRejection: false, isSignIn: true, waiters: isSame ? flight?.waiters ?? [:] : [:])
      let kept = runSerially(number, &memory) { [self] () -> (any Error)? in
        do {
          // Nor is anything stored for whoever others have signed in or out after.
          guard !Task.isCancelled, self.credentials.withLock({ $0.inFlightRefresh?.id == number }) else {
            throw CancellationError()
          }
          try await keep()
        } catch {
          _ = finishSignIn(number, with: .failure(error))
          return error
        }
        return finishSignIn(number, with: .success(token)) ? nil : CancellationError()
      }
      // It is cancelled by whoever signs in or out meanwhile.
      memory.inFlightRefresh?.task = Task {
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
      if !isSame { flight?.resumeWaiters(returning: .failure(.userChanged)) }
      return await kept.value
    } onCancel: {
      kept.cancel()
    }
    if let error { throw error }
  }

  /// Returns whether it is of any account: who has signed in or out meanwhile does not want it any more.
  private func finishSignIn(_ number: Int, with result: Result<BearerToken, any Error>) -> Bool {
    let told = credentials.withLock {
      memory -> (waiters: [Int: CredentialState.Waiter], result: Result<CachedToken, HTTPError>)? in
      guard memory.inFlightRefresh?.id == number, let flight = memory.removeInFlightRefresh() else { return nil }
      memory.resetLimiters()
      switch result {
      case .success(let token):
        memory.transition(to: .ready)
        return (flight.waiters, .success(cache(token, &memory)))
      case .failure(let error):
        // What is stored may be of whoever was signed in before, and the source would go on with that.
        memory.transition(to: .needsSignIn, because: error)
        return (flight.waiters, .failure(HTTPError(.needsSignIn, delivery: .notSent, underlying: error)))
      }
    }
    guard let told else { return false }
    for waiter in told.waiters.values { waiter.resume(returning: told.result) }
    return true
  }

  /// The user has signed out: the token is forgotten, and requests fail until ``signIn(with:asSameUser:)``.
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
    let (flight, tail) = credentials.withLock { memory in
      memory.beginLogin()
      memory.currentToken = nil
      memory.transition(to: .needsSignIn)
      return (memory.removeInFlightRefresh(), previousOperation(in: memory))
    }
    flight?.task?.cancel()
    flight?.resumeWaiters(returning: .failure(HTTPError(.needsSignIn, delivery: .notSent)))
    await tail?.value
  }

  /// A token as it is held from now on.
  func cache(_ token: BearerToken, _ memory: inout CredentialState) -> CachedToken {
    let held = CachedToken(token, id: memory.makeID(), at: elapsed(), age: age(of: token), leeway: leeway)
    memory.currentToken = held
    return held
  }

  /// How long ago a token was made: its lifetime goes on while something is done with it. By a clock of its own, the time
  /// between is not known.
  func age(of token: BearerToken) -> Duration { clock is ContinuousClock ? token.createdAt.duration(to: .now) : .zero }
}

extension HTTPError {
  static var userChanged: HTTPError {
    HTTPError(.needsSignIn, delivery: .notSent, underlying: UserChangedError())
  }
}

extension CredentialState.InFlightRefresh {
  /// Tells those who wait.
  func resumeWaiters(returning result: Result<CachedToken, HTTPError>) {
    for waiter in waiters.values { waiter.resume(returning: result) }
  }
}
