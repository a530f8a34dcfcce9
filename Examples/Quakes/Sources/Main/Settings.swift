import Foundation

/// What the program was asked to do, by its environment and its arguments; an argument outweighs a variable.
struct Settings: Equatable {
  /// The page's port, if none is given: one that few other programs use.
  static let usualPort: UInt16 = 8642
  /// How long a step of the replay lasts by default: long enough to see what came, short enough to wait for.
  static let usualStep = 3.0

  var port = Settings.usualPort
  /// The store's file; nil for the usual place (for one round trip: a new one).
  var store: URL?
  /// Use the feed's real address.
  var isLive = false
  /// Three rounds, a line of JSON, and end.
  var isOnce = false
  /// Seconds for each step of the replay.
  var step = Settings.usualStep
  var wantsHelp = false

  /// Arguments that cannot be understood.
  struct Misunderstood: Error, CustomStringConvertible {
    let description: String
  }

  static let help = """
    quakes: a week of real earthquakes, kept in a local store and shown on a page of this machine.

      --port N      (PORT=N)      the page's port, \(usualPort) by default; 0 for any that is free
      --store FILE  (STORE=FILE)  the store; by default quakes/quakes.store in the user's data folder
      --live        (LIVE=1)      the feed's real address instead of the replayed week
      --once        (ONCE=1)      three rounds against the replayed week, then one line of JSON, and end
      --step S      (STEP=S)      seconds for each step of the replay, \(Int(usualStep)) by default
    """

  init(arguments: [String] = [], environment: [String: String] = [:]) throws {
    if let value = environment["PORT"], !value.isEmpty { port = try Self.port(value) }
    if let value = environment["STORE"], !value.isEmpty { store = Self.file(value) }
    if let value = environment["STEP"], !value.isEmpty { step = try Self.step(value) }
    isLive = Self.isOn(environment["LIVE"])
    isOnce = Self.isOn(environment["ONCE"])

    var rest = arguments[...]
    while let argument = rest.popFirst() {
      func value() throws -> String {
        guard let value = rest.popFirst() else { throw Misunderstood(description: "\(argument) needs a value.") }
        return value
      }
      switch argument {
      case "--port": port = try Self.port(value())
      case "--store": store = Self.file(try value())
      case "--step": step = try Self.step(value())
      case "--live": isLive = true
      case "--once": isOnce = true
      case "--help", "-h": wantsHelp = true
      default: throw Misunderstood(description: "\(argument) is not known here; --help tells what is.")
      }
    }
    if isLive && isOnce {
      throw Misunderstood(description: "ONCE replays the recorded week, so it cannot be had with LIVE.")
    }
  }

  /// Where the store is if nobody says.
  static var usualStore: URL {
    let environment = ProcessInfo.processInfo.environment
    let data =
      environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
      ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/share")
    return data.appending(path: "quakes/quakes.store")
  }

  private static func port(_ text: String) throws -> UInt16 {
    guard let port = UInt16(text) else {
      throw Misunderstood(description: "“\(text)” is no port: give a number from 0 to 65535.")
    }
    return port
  }

  private static func step(_ text: String) throws -> Double {
    guard let step = Double(text), step >= 0.05, step <= 3600 else {
      throw Misunderstood(description: "“\(text)” is no step: give seconds from 0.05 to 3600.")
    }
    return step
  }

  private static func file(_ path: String) -> URL {
    URL(filePath: path).absoluteURL.standardizedFileURL
  }

  private static func isOn(_ value: String?) -> Bool {
    guard let value else { return false }
    return !["", "0", "no", "false"].contains(value.lowercased())
  }
}
