extension BearerAuthentication {
  /// The user has signed in: requests are made with this token from now on, also those that wait.
  ///
  /// ```swift
  /// await bearer.signedIn(BearerToken(answer.accessToken, expiresIn: answer.expiresIn))
  /// ```
  ///
  /// A refresh for whoever was signed in before is cancelled, and what it gives is not used. When this returns, it has
  /// ended: what is stored after that stays. A source that does not end when it is cancelled holds this up. Where the
  /// refresh token is stored, use ``signedIn(_:keeping:)``.
  public func signedIn(_ token: BearerToken) async {
    let (flight, held, tail) = memory.withLock { memory in
      let held = HeldToken(token, number: memory.number(), at: elapsed(), leeway: leeway)
      memory.held = held
      memory.storm.reset()
      memory.become(.ready)
      return (memory.endFlight(), held, before(in: memory))
    }
    flight?.task?.cancel()
    flight?.tell(.success(held))
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
  /// stores comes after what `keep` does. Requests that wait for it wait for this instead.
  ///
  /// - Parameters:
  ///   - token: What is shown from then on.
  ///   - keep: Stores what the source needs for the next refresh. A request that it makes through a client with this
  ///     authentication would wait for itself, and fails.
  /// - Throws: What `keep` throws. The token is not used then; requests that wait fail with
  ///   ``HTTPError/Kind/noCredentials``.
  public func signedIn(
    _ token: BearerToken, keeping keep: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (flight, kept) = memory.withLock { memory in
      let flight = memory.endFlight()
      // Who was signed in before is so no more, whatever comes of this.
      memory.held = nil
      let number = memory.number()
      memory.flight = TokenMemory.Flight(number: number, isAfterRefusal: false, waiters: flight?.waiters ?? [:])
      let kept = inTurn(number, &memory) { [self] () -> (any Error)? in
        do {
          try await keep()
          settle(number, signedIn: .success(token))
          return nil
        } catch {
          settle(number, signedIn: .failure(error))
          return error
        }
      }
      return (flight, kept)
    }
    flight?.task?.cancel()
    if let error = await kept.value { throw error }
  }

  private func settle(_ number: Int, signedIn result: Result<BearerToken, any Error>) {
    let told = memory.withLock {
      memory -> (waiters: [Int: TokenMemory.Waiter], result: Result<HeldToken, HTTPError>)? in
      // Who has signed in or out meanwhile does not want it any more.
      guard memory.flight?.number == number, let flight = memory.endFlight() else { return nil }
      switch result {
      case .success(let token):
        let held = HeldToken(token, number: memory.number(), at: elapsed(), leeway: leeway)
        memory.held = held
        memory.storm.reset()
        memory.become(.ready)
        return (flight.waiters, .success(held))
      case .failure(let error):
        return (flight.waiters, .failure(HTTPError(.noCredentials, delivery: .notSent, underlying: error)))
      }
    }
    guard let told else { return }
    for waiter in told.waiters.values { waiter.resume(returning: told.result) }
  }

  /// The user has signed out: the token is forgotten, and requests fail until ``signedIn(_:)``.
  ///
  /// ```swift
  /// await bearer.signOut()
  /// try keychain.removeAll()
  /// ```
  ///
  /// A refresh that is on its way is cancelled, and what it gives is not used. When this returns, it has ended: what is
  /// removed after that is not stored again. A source that does not end when it is cancelled holds this up; requests fail
  /// from the beginning.
  public func signOut() async {
    let (flight, tail) = memory.withLock { memory in
      memory.held = nil
      memory.become(.needsSignIn)
      return (memory.endFlight(), before(in: memory))
    }
    flight?.task?.cancel()
    flight?.tell(.failure(HTTPError(.needsSignIn, delivery: .notSent)))
    await tail?.value
  }
}

extension TokenMemory.Flight {
  /// Tells those who wait.
  func tell(_ result: Result<HeldToken, HTTPError>) {
    for waiter in waiters.values { waiter.resume(returning: result) }
  }
}
