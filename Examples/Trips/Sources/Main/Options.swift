import ExampleSupport
import Foundation

/// What the program was asked to do, by its environment and its arguments; an argument outweighs a variable.
struct Options: Equatable {
  /// The page's port, if none is given: beside that of the other example.
  static let usualPort: UInt16 = 8643

  var port = Options.usualPort
  /// The store's file; nil for the usual place (for one round trip: a new one).
  var store: URL?
  var mode = Mode.page

  enum Mode: Equatable {
    /// The page, until somebody stops it.
    case page
    /// A round trip, a line of JSON, and end.
    case once
    /// Read the store, say what it has and what another process does to it, and end with the standard input.
    case reader
    case help
  }

  static let help = """
    trips: trips of a small API, kept in a local store, shown and edited on a page of this machine.

      --port N      (PORT=N)      the page's port, \(usualPort) by default; 0 for any that is free
      --store FILE  (STORE=FILE)  the store; by default trips/trips.store in the user's data folder
      --once        (ONCE=1)      sync, sync again, edit, fail in each way, share; then one line of JSON, and end
      --read                      say a store's trips, and each that another process changes, until the input ends
    """

  init(arguments: [String] = [], environment: [String: String] = [:]) throws {
    if let value = environment["PORT"], !value.isEmpty { port = try Reading.port(value) }
    if let value = environment["STORE"], !value.isEmpty { store = Reading.file(value) }
    if Reading.isOn(environment["ONCE"]) { mode = .once }

    var arguments = Arguments(arguments)
    while let argument = arguments.next() {
      switch argument {
      case "--port": port = try Reading.port(arguments.value())
      case "--store": store = Reading.file(try arguments.value())
      case "--once": mode = .once
      case "--read": mode = .reader
      case "--help", "-h": mode = .help
      default: throw arguments.unknown()
      }
    }
  }
}
