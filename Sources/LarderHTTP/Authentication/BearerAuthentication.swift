import LarderSupport

/// Bearer authentication: sends a token with each request, and has it refreshed when it expires or is refused (RFC 6750).
///
/// ```swift
/// let bearer = BearerAuthentication(Session(keychain: keychain, client: plain))
/// configuration.authentication = .bearer(bearer)
///
/// for await state in bearer.states {
///   if state == .needsSignIn { showSignIn() }
/// }
/// …
/// try await bearer.signIn(with: BearerToken(answer.accessToken, expiresIn: answer.expiresIn)) {
///   try await keychain.store(answer)
/// }
/// ```
///
/// However many requests are refused at once, one refresh is made, and each request is replayed once with the same bytes and
/// the same idempotency key. A second 401 is final (``HTTPError/Kind/unauthorized``), and so is a 401 for a request whose
/// body cannot be sent again. A replay is no attempt of ``RetryPolicy``, and waits for nothing but the token.
///
/// All requests fail at once, with ``HTTPError/Kind/needsSignIn`` and without network access, if the source throws an error
/// that requires a sign-in, or if refreshes after refusals do not help (``defaultRefreshLimit`` within
/// ``defaultRefreshWindow``). This lasts until ``signIn(with:asSameUser:)``; requests that are made while
/// ``signIn(with:asSameUser:storing:)`` stores the credentials wait for that call. Their delivery is
/// ``HTTPError/Delivery-swift.enum/notSent``, so that a queue keeps them. A refresh helped if a server has accepted its token,
/// however short the token's life is. But after as many refreshes for refusals within the window, the next 401 is final
/// (``HTTPError/Kind/unauthorized``). So an endpoint that refuses every token neither signs the user out nor causes one
/// refresh after the other.
///
/// After any other error of the source, requests fail with ``HTTPError/Kind/credentialsUnavailable``; the source's error is
/// in ``HTTPError/underlying``.
///
/// A refresh continues while requests wait for it. After the cancellation of all of them, it has ``abandonedRefreshLimit`` to
/// end, since the server may have revoked the old refresh token already; then it is cancelled. The next refresh waits until
/// it has ended: the source runs one operation at a time.
///
/// One instance may serve several clients, and serves one account at a time. After another user signs in, earlier requests
/// are not sent in the new user's name (``UserChangedError``).
public final class BearerAuthentication: Sendable {
  /// The state of the credentials: whether requests can be sent.
  ///
  /// ```swift
  /// if bearer.state == .needsSignIn { showSignIn() }
  /// ```
  public enum State: Sendable, Hashable {
    /// There is a token, or the source can be asked for one.
    case ready
    /// Only the user can help. Requests fail until ``BearerAuthentication/signIn(with:asSameUser:)``; during
    /// ``BearerAuthentication/signIn(with:asSameUser:storing:)`` they wait for that call.
    case needsSignIn
  }

  let source: any BearerTokenSource
  let leeway: Duration
  let clock: any Clock<Duration>
  let elapsed: @Sendable () -> Duration
  let credentials: Locked<CredentialState>

  /// Creates a bearer authentication. Its source is called by the first request.
  ///
  /// ```swift
  /// let bearer = BearerAuthentication(SessionTokens(secrets: secrets, client: plain), leeway: .seconds(60))
  /// ```
  ///
  /// - Parameters:
  ///   - source: The source of tokens.
  ///   - leeway: The time before its end at which a token is refreshed; at most half of its lifetime.
  ///   - refreshLimit: The number of refreshes that may follow refusals, or fail for an unknown reason, within the window.
  ///   - refreshWindow: The length of the window.
  ///   - clock: Measures lifetimes and the window. A change of the device's date has no effect on it.
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

  /// 30 s: longer than most requests take, so that a token does not expire in transit.
  public static let defaultLeeway = Duration.seconds(30)
  /// 3: a server that refuses three new tokens refuses the fourth.
  public static let defaultRefreshLimit = 3
  /// 60 s, the window in which ``defaultRefreshLimit`` counts.
  public static let defaultRefreshWindow = Duration.seconds(60)
  /// 30 s: the time that a refresh has left once no request waits for it.
  public static let abandonedRefreshLimit = Duration.seconds(30)

  /// The current state of the credentials.
  public var state: State { credentials.withLock { $0.state } }

  /// The current state, and each later one. A slow reader skips states that have already ended.
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
  /// The mirror, without the token and its source.
  public var customMirror: Mirror { Mirror(self, children: ["state": state]) }
}
