import ExampleSupport
import Foundation

/// What the program was asked to do, by its environment and its arguments; an argument outweighs a variable.
struct Options: Equatable {
  /// The page's port, if none is given: one that few other programs use.
  static let usualPort: UInt16 = 8642
  /// How long a step of the replay lasts by default: long enough to see what came, short enough to wait for.
  static let usualStep = 3.0

  var port = Options.usualPort
  /// The store's file; nil for the usual place (for one round trip: a new one).
  var store: URL?
  /// Use the feed's real address.
  var isLive = false
  /// Three rounds, a line of JSON, and end.
  var isOnce = false
  /// Seconds for each step of the replay.
  var step = Options.usualStep
  /// What fetches the feed.
  var client = FeedRoute.urlsession
  var wantsHelp = false

  static let help = """
    quakes: a week of real earthquakes, kept in a local store and shown on a page of this machine.

      --port N      (PORT=N)      the page's port, \(usualPort) by default; 0 for any that is free
      --store FILE  (STORE=FILE)  the store; by default quakes/quakes.store in the user's data folder
      --client NAME (CLIENT=NAME) what fetches the feed: urlsession, the default, or larder, which asks for changes only
      --live        (LIVE=1)      the feed's real address instead of the replayed week
      --once        (ONCE=1)      three rounds against the replayed week, then one line of JSON, and end
      --step S      (STEP=S)      seconds for each step of the replay, \(Int(usualStep)) by default
    """

  init(arguments: [String] = [], environment: [String: String] = [:]) throws {
    if let value = environment["PORT"], !value.isEmpty { port = try Reading.port(value) }
    if let value = environment["STORE"], !value.isEmpty { store = Reading.file(value) }
    if let value = environment["STEP"], !value.isEmpty { step = try Reading.seconds(value, called: "step") }
    if let value = environment["CLIENT"], !value.isEmpty { client = try Self.client(value) }
    isLive = Reading.isOn(environment["LIVE"])
    isOnce = Reading.isOn(environment["ONCE"])

    var arguments = Arguments(arguments)
    while let argument = arguments.next() {
      switch argument {
      case "--port": port = try Reading.port(arguments.value())
      case "--store": store = Reading.file(try arguments.value())
      case "--step": step = try Reading.seconds(arguments.value(), called: "step")
      case "--client": client = try Self.client(arguments.value())
      case "--live": isLive = true
      case "--once": isOnce = true
      case "--help", "-h": wantsHelp = true
      default: throw arguments.unknown()
      }
    }
    if isLive && isOnce {
      throw Misunderstood(description: "ONCE replays the recorded week, so it cannot be had with LIVE.")
    }
  }

  private static func client(_ name: String) throws(Misunderstood) -> FeedRoute {
    guard let client = FeedRoute(rawValue: name.lowercased()) else {
      throw Misunderstood(description: "“\(name)” is no client: give urlsession or larder.")
    }
    return client
  }
}
