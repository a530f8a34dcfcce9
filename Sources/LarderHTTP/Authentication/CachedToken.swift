/// A token in memory.
struct CachedToken: Sendable {
  let token: BearerToken
  /// The token's number: a refusal concerns the token that was sent, which may be an older one.
  let id: Int
  /// The value of the `Authorization` field, created once.
  let headerValue: String
  /// The time from which the token is refreshed before use, by the authentication's clock.
  let refreshTime: Duration?
  /// Whether a server has refused it.
  var isRejected = false
  /// Whether the token comes from a refresh after a refusal, and no server has accepted it yet.
  var isAfterRejection = false

  init(_ token: BearerToken, id number: Int, at now: Duration, age: Duration = .zero, leeway: Duration) {
    self.token = token
    self.id = number
    headerValue = "Bearer " + token.value
    // A lifetime shorter than the leeway is used for its half all the same. A new token that has already expired comes from
    // a server with another clock; only the server can decide whether it is valid.
    refreshTime = token.lifetime.flatMap { $0 > .zero ? now + $0 - age - min(leeway, $0 / 2) : nil }
  }

  /// Returns whether the token must be refreshed before use.
  func needsRefresh(at now: () -> Duration) -> Bool { isRejected || (refreshTime.map { now() >= $0 } ?? false) }
}
