import ExampleSupport

/// The program.
@main
enum QuakesCommand {
  static func main() async {
    await Program.run("quakes") { arguments, environment in
      let settings = try Options(arguments: arguments, environment: environment)
      if settings.wantsHelp {
        Terminal.put(Options.help)
      } else if settings.isOnce {
        let store = try settings.store ?? StorePlaces.temporary(of: "quakes")
        Terminal.put(try await RoundTrip(store: store, week: .bundled(), client: settings.client).run().line)
      } else {
        try await Demo(settings: settings).run()
      }
    }
  }
}
