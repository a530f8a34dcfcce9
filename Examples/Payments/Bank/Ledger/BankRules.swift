import Foundation

/// How a bank behaves. Each of these is found among real ones.
struct BankRules: Sendable, Hashable {
  /// What it does with the key of an order that it has seen.
  enum Keys: String, Sendable, Hashable, CaseIterable {
    /// The same order with the same key is the same payment, for a day.
    case honours
    /// So it is for a moment; later the same order is another payment.
    case forgets
    /// It makes a payment for each order that reaches it.
    case none
  }

  /// What a refresh gives to refresh by the next time (RFC 6749, section 6).
  enum Renewal: String, Sendable, Hashable, CaseIterable {
    /// The refresh token that there is, once more.
    case same
    /// Another one; the one that was used is good no more.
    case new
    /// Nothing: the one that there is stays good.
    case none
  }

  /// Whose accounts they are.
  var customer = "customer-1"
  var keys = Keys.honours
  /// How long a key is kept by a bank that forgets, in seconds.
  var forgetsAfter = 0.2
  /// How long a token is good, in seconds.
  var tokenLifetime = 900.0
  /// Whether it says so with the token (section 5.1).
  var tellsTokenLifetime = true
  var renewal = Renewal.same
  /// How long a payment can be cancelled, in seconds.
  var settling = 5.0
  /// How many requests a client may make in a second; more are answered 429.
  var requestsPerSecond = 500

  static let keyLifetime = 86_400.0

  /// How long a key is kept, in seconds; nil where none is.
  var keyLifetime: Double? {
    switch keys {
    case .honours: Self.keyLifetime
    case .forgets: forgetsAfter
    case .none: nil
    }
  }
}
