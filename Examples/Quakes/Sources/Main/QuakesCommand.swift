import Foundation
import LarderTesting

/// The program.
@main
enum QuakesCommand {
  static func main() async {
    do {
      try await run(
        try Settings(
          arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
    } catch let error as LoopbackServerError {
      if case .portInUse(let port) = error {
        fail("Port \(port) is in use by another program: choose another with PORT=, for example PORT=0 for any.")
      }
      fail("\(error)")
    } catch {
      fail("\(error)")
    }
  }

  private static func run(_ settings: Settings) async throws {
    if settings.wantsHelp {
      Terminal.put(Settings.help)
    } else if settings.isOnce {
      let store = try settings.store ?? temporaryStore()
      Terminal.put(try await RoundTrip(store: store, week: .bundled()).run().line)
    } else {
      try await Demo(settings: settings).run()
    }
  }

  /// A new store for a round trip, which begins with an empty one.
  private static func temporaryStore() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quakes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appending(path: "quakes.store")
  }

  private static func fail(_ words: String) -> Never {
    Terminal.say("quakes: \(words)")
    exit(1)
  }
}
