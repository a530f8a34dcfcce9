import ExampleSupport
import Foundation
import LarderSecrets

/// `--sign-in`: the customer signs in to the bank that the environment names, also when a session has ended.
struct SignIn {
  private let container: DIContainer
  private let token: Secret?

  init(_ settings: Options, environment: [String: String]) throws {
    let bank = try BankEnvironment(environment)
    token = bank.token
    container = try Payer.container(settings, bank, "--sign-in")
  }

  func run() async throws {
    guard let session = container.session, let customer = container.customer else {
      throw Misunderstood(description: "--sign-in has no bank to sign in to.")
    }
    try await customer.signIn(by: try token ?? Self.typed())
    if let token { try await session.note(token) }
    Terminal.say("Signed in. What waits is paid by the next --pay.")
  }

  private static func typed() throws -> Secret {
    let line = Prompt.hiddenLine("The code that the bank gave you (it is not shown):").filter { !$0.isWhitespace }
    guard !line.isEmpty else {
      throw Misunderstood(
        description: "--sign-in needs the code that the bank gave you: type it, or set "
          + "\(BankEnvironment.Variable.token.rawValue).")
    }
    return Secret(line)
  }
}
