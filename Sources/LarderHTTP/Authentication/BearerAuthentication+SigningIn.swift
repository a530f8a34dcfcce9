import LarderSupport

extension BearerAuthentication {
  /// Signs the user in: requests are sent with this token from now on.
  ///
  /// ```swift
  /// await bearer.signIn(with: BearerToken(answer.accessToken, expiresIn: answer.expiresIn))
  /// ```
  ///
  /// A refresh for the previous user is cancelled, and its result is dropped. It has ended when this function returns, so that
  /// it cannot overwrite credentials that the caller stores afterwards. A source that ignores its cancellation delays this.
  /// Where the refresh token is stored, use ``signIn(with:asSameUser:storing:)``.
  ///
  /// The source's own operation does not wait for itself: called within it, or by a task that it has started and that does not
  /// outlive it, this function returns at once.
  ///
  /// - Parameters:
  ///   - token: The token that requests are sent with.
  ///   - isSame: Whether the user is the same as before. If so, earlier requests are sent with this token, or sent again with
  ///     it where they are refused. If not, earlier requests are never sent in the new user's name: they fail with
  ///     ``HTTPError/Kind/needsSignIn`` and ``UserChangedError``. Requests from before ``signOut()`` fail so in either case.
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

  /// Signs the user in: stores the new credentials, then sends requests with this token.
  ///
  /// ```swift
  /// let granted = try await plain.request(.signIn(user: user, password: password))
  /// try await bearer.signIn(with: granted.token) { try await vault.keep(granted) }
  /// ```
  ///
  /// A refresh for the previous user is cancelled first, and has ended when `keep` begins: it cannot overwrite the credentials
  /// that `keep` stores. Requests that are made in the meantime wait for this function.
  ///
  /// - Parameters:
  ///   - token: The token that requests are sent with.
  ///   - isSame: Whether the user is the same as before: see ``signIn(with:asSameUser:)``. If so, requests that wait for a refresh
  ///     wait for this sign-in instead.
  ///   - keep: Stores the credentials that the source needs for the next refresh. A request that `keep` makes through a client
  ///     with this authentication would wait for itself, and fails. A request that another task makes on behalf of `keep`
  ///     (`Task.detached`, or an actor's worker that ran before) is not recognized as part of it, and waits until its total
  ///     deadline. `keep` is cancelled together with the caller, and by another sign-in or sign-out. It does not begin after
  ///     a cancellation before its turn.
  /// - Throws: The error that `keep` throws; `CancellationError` where `keep` did not begin, or where another sign-in or sign-out
  ///   came in the meantime. In the first two cases no user is signed in afterwards: requests fail with
  ///   ``HTTPError/Kind/needsSignIn``, whose ``HTTPError/underlying`` is the error, until the next sign-in. In the last case
  ///   the other call decides the state.
  public func signIn(
    with token: BearerToken, asSameUser isSame: Bool = false, storing keep: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (flight, kept) = credentials.withLock { memory in
      let flight = memory.removeInFlightRefresh()
      if !isSame { memory.beginLogin() }
      // The previous user is signed out, whatever the outcome of this sign-in.
      memory.currentToken = nil
      let number = memory.makeID()
      memory.inFlightRefresh = CredentialState.InFlightRefresh(
        id: number, isAfterRejection: false, isSignIn: true, waiters: isSame ? flight?.waiters ?? [:] : [:])
      let kept = runSerially(number, &memory) { [self] () -> (any Error)? in
        do {
          // After another sign-in or sign-out, these credentials must not be stored.
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
      // Another sign-in or sign-out cancels it.
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

  /// Ends a sign-in, and returns whether it took effect; another sign-in or sign-out in the meantime makes it void.
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
        // The stored credentials may be the previous user's, and the source would continue with them.
        memory.transition(to: .needsSignIn, because: error)
        return (flight.waiters, .failure(HTTPError(.needsSignIn, delivery: .notSent, underlying: error)))
      }
    }
    guard let told else { return false }
    for waiter in told.waiters.values { waiter.resume(returning: told.result) }
    return true
  }

  /// Signs the user out: the token is forgotten, and requests fail until ``signIn(with:asSameUser:)``.
  ///
  /// ```swift
  /// await bearer.signOut()
  /// try keychain.removeAll()
  /// ```
  ///
  /// Requests that were made before are neither sent nor replayed any more, whichever user signs in afterwards.
  ///
  /// A refresh in flight is cancelled, and its result is dropped. It has ended when this function returns, so that it cannot
  /// store credentials again that the caller removes afterwards. A source that ignores its cancellation delays this; requests
  /// fail from the beginning of the call.
  ///
  /// The source's own operation does not wait for itself: called within it, or by a task that it has started and that does not
  /// outlive it, this function returns at once, and the operation may still store the credentials that it received. To wait for
  /// the operation, sign out from outside of it, or by `Task.detached`.
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

  /// Makes a token the current one, and returns it as it is cached.
  func cache(_ token: BearerToken, _ memory: inout CredentialState) -> CachedToken {
    let held = CachedToken(token, id: memory.makeID(), at: elapsed(), age: age(of: token), leeway: leeway)
    memory.currentToken = held
    return held
  }

  /// Returns the time since a token's creation, since its lifetime runs on before the token is used. With another clock than
  /// the continuous one that time is not known, and zero is returned.
  func age(of token: BearerToken) -> Duration { clock is ContinuousClock ? token.createdAt.duration(to: .now) : .zero }
}

extension HTTPError {
  static var userChanged: HTTPError {
    HTTPError(.needsSignIn, delivery: .notSent, underlying: UserChangedError())
  }
}

extension CredentialState.InFlightRefresh {
  /// Resumes all waiting requests with the result.
  func resumeWaiters(returning result: Result<CachedToken, HTTPError>) {
    for waiter in waiters.values { waiter.resume(returning: result) }
  }
}
