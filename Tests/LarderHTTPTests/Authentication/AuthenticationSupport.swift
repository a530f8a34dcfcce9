import Foundation
import LarderHTTP
import LarderTesting
import Patience
import Synchronization
import Testing

/// A source that counts what it is asked, and gives `t1`, `t2` and so on, unless it is told otherwise.
final class CountingSource: BearerTokenSource {
  private struct State {
    var loads = 0
    var refreshed: [BearerToken] = []
  }

  private let state = Mutex(State())
  private let stored: BearerToken?
  private let work: @Sendable (Int) async throws -> BearerToken
  let rotatesRefreshTokens: Bool

  init(
    stored: BearerToken? = BearerToken("t0"), rotates: Bool = false,
    refresh work: @escaping @Sendable (Int) async throws -> BearerToken = { BearerToken("t\($0)") }
  ) {
    self.stored = stored
    self.work = work
    rotatesRefreshTokens = rotates
  }

  var loads: Int { state.withLock { $0.loads } }
  /// The tokens in whose place others were asked for.
  var refreshed: [String] { state.withLock { $0.refreshed.map(\.value) } }

  func token() async throws -> BearerToken? {
    state.withLock { $0.loads += 1 }
    return stored
  }

  func refresh(_ old: BearerToken) async throws -> BearerToken {
    let count = state.withLock { state in
      state.refreshed.append(old)
      return state.refreshed.count
    }
    return try await work(count)
  }
}

/// Holds whoever comes until it is opened.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  var isOpen: Bool { state.withLock { $0.isOpen } }

  func wait() async {
    await withCheckedContinuation { waiter in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(waiter) }
        return state.isOpen
      }
      if isOpen { waiter.resume() }
    }
  }

  func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

/// Waits, giving others their turns, until something is so.
func until(_ location: SourceLocation = #_sourceLocation, _ isSo: () -> Bool) async throws {
  try await Patience.until("what the test is about", location: location, isSo)
}

extension HTTPClient {
  static let authenticatedBase = URL(string: "https://api.example/v1")!

  /// A client of `https://api.example` that shows who asks.
  static func authenticated(
    _ authentication: ClientAuthentication?, by transport: any HTTPTransport, clock: TestClock = TestClock(),
    _ change: (inout Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    var configuration = Configuration()
    configuration.dependencies = HTTPDependencies(clock: clock, random: { 0.5 })
    configuration.authentication = authentication
    change(&configuration)
    return HTTPClient(baseURL: authenticatedBase, configuration: configuration, transport: transport)
  }
}

extension TransportStub {
  /// Accepts one token, and refuses any other.
  static func accepting(_ isValid: @escaping @Sendable (String) -> Bool) -> TransportStub {
    TransportStub { request in
      let token = request.headers["Authorization"]?.split(separator: " ").last.map(String.init) ?? ""
      return isValid(token)
        ? .json("[]") : .status(401, headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""])
    }
  }

  /// The tokens that were sent, in their order.
  var tokens: [String?] { requests.map { $0.headers["Authorization"] } }
}
