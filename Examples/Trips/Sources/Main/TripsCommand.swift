import ExampleSupport
import Foundation

/// The program.
@main
enum TripsCommand {
  @MainActor static func main() async {
    await Program.run("trips") { arguments, environment in
      let settings = try Options(arguments: arguments, environment: environment)
      switch settings.mode {
      case .help: Terminal.put(Options.help)
      case .page: try await Demo(settings: settings).run()
      case .reader: try await StoreReader(store: settings.store ?? StorePlaces.usual(of: "trips")).run()
      case .once:
        let store = try settings.store ?? StorePlaces.temporary(of: "trips")
        Terminal.put(try await RoundTrip(store: store, program: program).run().line)
      }
    }
  }

  /// This program's file, however it was called.
  private static var program: URL {
    Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
  }
}
