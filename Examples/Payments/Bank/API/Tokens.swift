import Foundation
import Synchronization

/// The tokens that the bank has given out. Safe to use from any thread.
final class Tokens: Sendable {
  private struct State {
    var access: [String: Date] = [:]
    var refresh: Set<String>
    var refreshes = 0
  }

  /// What is answered to whoever may have a token.
  struct Pair: Codable, Sendable {
    var accessToken: String
    var refreshToken: String?
    var expiresIn: Double?
  }

  private let rules: BankRules
  private let now: @Sendable () -> Date
  private let state: Mutex<State>

  /// - Parameters:
  ///   - first: The secret by which somebody signs in for the first time.
  ///   - rules: How long a token is good, and what is said with it.
  ///   - now: The bank's clock.
  init(first: String, rules: BankRules, now: @escaping @Sendable () -> Date = { .now }) {
    self.rules = rules
    self.now = now
    state = Mutex(State(refresh: [first]))
  }

  /// How often a token was refreshed.
  var refreshes: Int { state.withLock { $0.refreshes } }

  /// A new token for whoever has a refresh token. That stays good, unless the bank gives another: an answer that is lost
  /// locks nobody out.
  func refresh(_ token: String) -> Pair? {
    state.withLock { state in
      guard state.refresh.contains(token) else { return nil }
      state.refreshes += 1
      let access = Self.made("at")
      state.access[access] = now().addingTimeInterval(rules.tokenLifetime)
      var pair = Pair(accessToken: access)
      if rules.tellsTokenLifetime { pair.expiresIn = rules.tokenLifetime }
      switch rules.renewal {
      case .same: pair.refreshToken = token
      case .new:
        let next = Self.made("rt")
        state.refresh.remove(token)
        state.refresh.insert(next)
        pair.refreshToken = next
      case .none: break
      }
      return pair
    }
  }

  /// Whether a request may be answered.
  func isGood(_ authorization: String?) -> Bool {
    guard let authorization, authorization.lowercased().hasPrefix("bearer ") else { return false }
    let token = String(authorization.dropFirst(7))
    return state.withLock { state in state.access[token].map { now() < $0 } ?? false }
  }

  /// Believes in none of those that there are, and from now on in another secret to sign in by.
  func end(next secret: String) {
    state.withLock { state in
      state.access = [:]
      state.refresh = [secret]
    }
  }

  private static func made(_ kind: String) -> String {
    var random = SystemRandomNumberGenerator()
    return "\(kind)-" + (0..<4).map { _ in String(random.next() as UInt64, radix: 36) }.joined()
  }
}
