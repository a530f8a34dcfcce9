/// The token in memory.
struct HeldToken: Sendable {
  let token: BearerToken
  /// Which one it is: a refusal is of the token that was sent, and that may be an older one.
  let number: Int
  /// The field's value, made once.
  let field: String
  /// From when it is not to be used any more, by the clock of the authentication.
  let due: Duration?
  /// Whether a server has refused it.
  var isRefused = false
  /// Whether a refresh that a refusal has asked for gave it, and no server has accepted it yet.
  var isAfterRefusal = false

  init(_ token: BearerToken, number: Int, at now: Duration, age: Duration = .zero, leeway: Duration) {
    self.token = token
    self.number = number
    field = "Bearer " + token.value
    // A token that is shorter lived than the leeway is used all the same, for the half of its time. One that has expired
    // already when it is new is of a server whose clock is another one; whether it is valid is for the server to say.
    due = token.lifetime.flatMap { $0 > .zero ? now + $0 - age - min(leeway, $0 / 2) : nil }
  }

  /// Whether another one is to be asked for before it is used.
  func isDue(at now: () -> Duration) -> Bool { isRefused || (due.map { now() >= $0 } ?? false) }
}
