import LarderSecrets
import Observation

/// Whether the customer has to sign in, and how they do.
@MainActor
@Observable
final class SignInViewModel {
  private(set) var isNeeded = false

  @ObservationIgnored private let customer: (any CustomerSession)?

  init(_ customer: (any CustomerSession)?) {
    self.customer = customer
  }

  /// Follows the session until it is cancelled.
  ///
  /// - Parameter ended: Is called each time that it has ended.
  func run(ended: () -> Void) async {
    guard let customer else { return }
    for await isNeeded in customer.needsSignIn() where isNeeded != self.isNeeded {
      self.isNeeded = isNeeded
      if isNeeded { ended() }
    }
  }

  /// Signs in.
  ///
  /// - Returns: Why it could not be done, in words.
  func signIn(_ code: String) async -> String? {
    let code = code.filter { !$0.isWhitespace }
    guard !code.isEmpty else { return "Enter the code that the bank gave you." }
    guard let customer else { return SignInFailure.noBank.description }
    do throws(SignInFailure) {
      try await customer.signIn(by: Secret(code))
      // Whether it is needed any more is for the session to say, which may have ended once more meanwhile.
      return nil
    } catch {
      return error.description
    }
  }
}
