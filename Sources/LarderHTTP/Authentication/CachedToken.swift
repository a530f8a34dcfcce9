/// The token in memory.
struct CachedToken: Sendable {
  let token: BearerToken
  /// Which one it is: a refusal is of the token that was sent, and that may be an older one.
  let id: Int
  /// The field's value, made once.
  let headerValue: String
  /// From when it is not to be used any more, by the clock of the authentication.
  let refreshTime: Duration?
  /// Whether a server has refused it.
  var isRejected = false
  /// Whether a refresh that a refusal has asked for gave it, and no server has accepted it yet.
  var isAfterRejection = false

  init(_ token: BearerToken, id number: Int, at now: Duration, age: Duration = .zero, leeway: Duration) {
    self.token = token
    self.id = number
    headerValue = "Bearer " + token.value
    // A token that is shorter lived than the leeway is used all the same, for the half of its time. One that has expired
    // already when it is new is of a server whose clock is another one; whether it is valid is for the server to say.
    refreshTime = token.lifetime.flatMap { $0 > .zero ? now + $0 - age - min(leeway, $0 / 2) : nil }
  }

  /// Whether another one is to be asked for before it is used.
  func needsRefresh(at now: () -> Duration) -> Bool { isRejected || (refreshTime.map { now() >= $0 } ?? false) }
}
