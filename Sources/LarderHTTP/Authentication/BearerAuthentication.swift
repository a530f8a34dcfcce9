import LarderSupport

/// Shows a token with each request, and has it refreshed when it has expired or is refused (RFC 6750).
///
/// ```swift
/// let bearer = BearerAuthentication(Session(keychain: keychain, client: plain))
/// configuration.authentication = .bearer(bearer)
///
/// for await state in bearer.states {
///   if state == .needsSignIn { showSignIn() }
/// }
/// …
/// try await bearer.signedIn(BearerToken(answer.accessToken, expiresIn: answer.expiresIn)) {
///   try await keychain.store(answer)
/// }
/// ```
///
/// However many requests are refused at once, one refresh is made, and each is sent once more with the same bytes and the
/// same idempotency key. A second 401 is the answer (``HTTPError/Kind/unauthorized``), and so is one to a request whose
/// body cannot be sent again. A replay is no attempt of ``RetryPolicy``, and waits for nothing but the token.
///
/// Where the source says that the user needs to sign in, or refreshes that refusals ask for do not help
/// (``defaultRefreshLimit`` within ``defaultRefreshWindow``), all requests fail at once, with
/// ``HTTPError/Kind/needsSignIn`` and without touching the network, until ``signIn(with:asSameUser:)``; those that are made
/// while ``signIn(with:asSameUser:storing:)`` keeps what it was given wait for that. Their delivery is
/// ``HTTPError/Delivery-swift.enum/notSent``: a queue keeps them. A token that a server has accepted was of help, however
/// short it lives; but where as many refreshes as that have followed refusals within the window, the next 401 is the answer
/// (``HTTPError/Kind/unauthorized``). So an endpoint that refuses whatever it is shown neither signs the user out nor has
/// one token after the other made.
///
/// Where the source has failed in another way, requests fail with ``HTTPError/Kind/noCredentials``; how it has failed is
/// under ``HTTPError/underlying``.
///
/// A refresh goes on while somebody waits for it. When all who did were cancelled, it has ``abandonedRefreshLimit`` to
/// end, since a server may have taken the old refresh token back already; then it is cancelled. The next one waits until it
/// has ended: the source is asked one thing at a time.
///
/// One of these may serve several clients, and is for one account at a time. When somebody else signs in, requests of
/// before are not sent in their name (``UserChangedError``).
public final class BearerAuthentication: Sendable {
  /// Whether requests can be made.
  ///
  /// ```swift
  /// if bearer.state == .needsSignIn { showSignIn() }
  /// ```
  public enum State: Sendable, Hashable {
    /// There is a token, or one can be asked for.
    case ready
    /// Only the user can help. Requests fail until ``BearerAuthentication/signIn(with:asSameUser:)``, or wait for
    /// ``BearerAuthentication/signIn(with:asSameUser:storing:)`` while that is under way.
    case needsSignIn
  }

  let source: any BearerTokenSource
  let leeway: Duration
  let clock: any Clock<Duration>
  let elapsed: @Sendable () -> Duration
  let credentials: Locked<CredentialState>

  /// Makes one; its source is asked by the first request.
  ///
  /// ```swift
  /// let bearer = BearerAuthentication(SessionTokens(secrets: secrets, client: plain), leeway: .seconds(60))
  /// ```
  ///
  /// - Parameters:
  ///   - source: Where tokens come from.
  ///   - leeway: How long before its end a token is refreshed; at most half of its lifetime.
  ///   - refreshLimit: How many refreshes may follow refusals, or fail for no known reason, within the window.
  ///   - refreshWindow: The window.
  ///   - clock: Measures lifetimes and the window. A change of the device's date does not matter to it.
  public init(
    _ source: any BearerTokenSource, leeway: Duration = BearerAuthentication.defaultLeeway,
    refreshLimit: Int = BearerAuthentication.defaultRefreshLimit,
    refreshWindow: Duration = BearerAuthentication.defaultRefreshWindow, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.source = source
    self.leeway = max(.zero, leeway)
    self.clock = clock
    elapsed = clock.makeStopwatch()
    credentials = Locked(
      CredentialState(refreshLimiter: RefreshRateLimiter(limit: refreshLimit, window: refreshWindow)))
  }

  deinit {
    for watcher in credentials.withLock({ $0.stateObservers }).values { watcher.finish() }
  }

  /// 30 s: longer than most requests take, so that a token does not expire on its way.
  public static let defaultLeeway = Duration.seconds(30)
  /// 3: a server that refuses three new tokens refuses the fourth.
  public static let defaultRefreshLimit = 3
  /// 60 s.
  public static let defaultRefreshWindow = Duration.seconds(60)
  /// 30 s: how long a refresh goes on that nobody waits for.
  public static let abandonedRefreshLimit = Duration.seconds(30)

  /// Whether requests can be made.
  public var state: State { credentials.withLock { $0.state } }

  /// The state now, and each one after it. Who reads slowly misses what is over already.
  ///
  /// ```swift
  /// for await state in bearer.states { await queue.setPaused(state == .needsSignIn) }
  /// ```
  public var states: AsyncStream<State> {
    let (stream, watcher) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
    let number = credentials.withLock { $0.makeID() }
    watcher.onTermination = { [weak self] _ in self?.credentials.withLock { $0.removeObserver(number) } }
    credentials.withLock { $0.addObserver(watcher, id: number) }
    return stream
  }
}

extension BearerAuthentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "BearerAuthentication(\(state))" }
  public var debugDescription: String { description }
  /// Without the token and its source.
  public var customMirror: Mirror { Mirror(self, children: ["state": state]) }
}
