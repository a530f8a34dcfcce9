import ExampleSupport
import Foundation
import LarderSecrets

/// `--sign-in`: the customer signs in to the bank that the environment names, also when a session has ended.
struct SignIn {
  private let container: DIContainer
  private let token: Secret?

  init(_ settings: Settings, environment: [String: String]) throws {
    let bank = try BankEnvironment(environment)
    token = bank.token
    container = try Payer.container(settings, bank, "--sign-in")
  }

  func run() async throws {
    guard let customer = container.customer else { return }
    try await customer.signIn(by: try token ?? Self.typed())
    Terminal.say("Signed in. What waits is paid by the next --pay.")
  }

  /// A line of the standard input. Of a terminal it is not shown.
  private static func typed() throws -> Secret {
    var shown = termios()
    let isTerminal = tcgetattr(STDIN_FILENO, &shown) == 0
    if isTerminal {
      var hidden = shown
      hidden.c_lflag &= ~tcflag_t(ECHO)
      Terminal.say("The code that the bank gave you (it is not shown):")
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    }
    defer { if isTerminal { tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown) } }
    let line = (readLine() ?? "").filter { !$0.isWhitespace }
    guard !line.isEmpty else {
      throw Misunderstood(
        description: "--sign-in needs the code that the bank gave you: type it, or set "
          + "\(BankEnvironment.Variable.token.rawValue).")
    }
    return Secret(line)
  }
}
