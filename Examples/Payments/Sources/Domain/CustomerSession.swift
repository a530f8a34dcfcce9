import LarderSecrets

/// The customer's session with the bank, for whoever asks the customer to sign in.
protocol CustomerSession: Sendable {
  /// Whether only the customer can help: now, and whenever it is otherwise.
  func needsSignIn() -> AsyncStream<Bool>
  /// Signs in, by what the bank gave its customer for it. What waits goes on then.
  func signIn(by secret: Secret) async throws(SignInFailure)
}

/// Why somebody is not signed in.
enum SignInFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bank does not know what it was shown.
  case refused
  /// The bank cannot be asked.
  case noBank
  /// It cannot be kept.
  case notKept

  /// A sentence without what was shown.
  var description: String {
    switch self {
    case .refused: "The bank does not know this code. See that it is the one that it gave you last."
    case .noBank: "The bank cannot be asked about this code just now, and nothing is changed by it. Try it again."
    case .notKept:
      "The bank took the code, and it could not be kept in the secret store. See that its folder is this user's and has "
        + "room, and try it again; if the bank does not know the code any more, have it give you another."
    }
  }
}
