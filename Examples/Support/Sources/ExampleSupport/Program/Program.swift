internal import Foundation
internal import LarderTesting

/// A program from its start to its end.
public enum Program {
  /// Runs one, and ends the process with words about whatever it throws.
  ///
  /// - Parameters:
  ///   - name: The program's name, which stands before the words.
  ///   - body: What it does, given its arguments and its environment.
  public static func run(_ name: String, _ body: ([String], [String: String]) async throws -> Void) async {
    do {
      try await body(Array(CommandLine.arguments.dropFirst()), ProcessInfo.processInfo.environment)
    } catch LoopbackServerError.portInUse(let port) {
      fail(
        name, "Port \(port) is in use by another program: choose another with PORT=, for example PORT=0 for any.")
    } catch {
      fail(name, "\(error)")
    }
  }

  private static func fail(_ name: String, _ words: String) -> Never {
    Terminal.say("\(name): \(words)")
    exit(1)
  }
}
