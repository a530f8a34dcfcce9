import ExampleSupport
import Foundation
import LarderSecrets

/// The program.
@main
enum PaymentsCommand {
  static func main() async {
    await Program.run("payments") { arguments, environment in
      // Before anything is read: what is in memory here must be in no core.
      try ProcessHardening.disableCoreDumps()
      let settings = try Options(arguments: arguments, environment: environment)
      switch settings.task {
      case .help: Terminal.put(Options.help)
      case .demo: try await Demo(settings: settings).run()
      case .pay(let drafts): try await Payer(settings, drafts: drafts, environment: environment).run()
      case .signIn: try await SignIn(settings, environment: environment).run()
      case .refused: try await RefusedPayments(settings, onlyReads: true).tell()
      case .putAway(let name): try await RefusedPayments(settings, onlyReads: false).putAway(name)
      case .once(let seed): try await Once(seed: seed, store: settings.store).run()
      }
    }
  }
}
