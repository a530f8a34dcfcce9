import ExampleSupport
import Foundation

/// The program.
@main
enum BankCommand {
  /// What it says of itself on the standard output, in a line of JSON.
  struct Opening: Codable {
    var port: UInt16
    var pin: String
    var authority: String

    /// With slashes as they are: a pin has some, and people copy it.
    var line: String {
      get throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
      }
    }
  }

  static func main() async {
    await Program.run("payments-bank") { arguments, environment in
      let settings = try BankSettings(arguments: arguments, environment: environment)
      if settings.wantsHelp { return Terminal.put(BankSettings.help) }
      try settings.books?.lock()
      let server = try BankServer(
        rules: settings.rules, books: settings.books, firstToken: settings.firstToken,
        directionKey: settings.directionKey)
      try Files.write(
        server.authority, to: settings.authority, "the certificate of the bank's authority",
        advice: "Name another file by --authority, in a folder that is there.")
      let opening = Opening(port: server.port, pin: server.pin, authority: settings.authority.path)
      Terminal.put(try opening.line)
      // Whoever started it is gone when this ends, however it ended.
      while let data = try FileHandle.standardInput.read(upToCount: 1_024), !data.isEmpty {}
      server.stop()
    }
  }
}
