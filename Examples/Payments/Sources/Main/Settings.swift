import ExampleSupport
import Foundation

/// What the program was asked to do.
struct Settings: Equatable {
  /// The page's port, if none is given: beside those of the other examples.
  static let usualPort: UInt16 = 8644

  enum Task: Equatable {
    /// The page, until somebody stops it.
    case demo
    /// Many payments, faults and kills; then the books are compared.
    case once(seed: UInt64)
    /// Pays what a file asks for, and ends.
    case pay(drafts: URL)
    case help
  }

  var task = Task.demo
  var port = Settings.usualPort
  /// The store's file; nil for the usual place (for one round: a new one).
  var store: URL?
  /// How long an order is good, in seconds.
  var order = 10.0

  static let help = """
    payments: pays, each payment exactly once, whatever fails; on a page of this machine, from a bank on this machine.

      --port N        (PORT=N)   the page's port, \(usualPort) by default; 0 for any that is free
      --store FILE    (STORE=FILE)
                                 the store; by default payments/payments.store in the user's data folder
      --once          (ONCE=1)   200 payments through a line that fails, with a bank that fails and a program that is
                                 killed; then the bank's books are compared, and a line of JSON tells
      --seed N        (SEED=N)   what decides the faults; a new one, printed, if none is given
      --pay FILE                 pays what a file of JSON asks for, and ends; the bank is named by the environment
      --order S                  how long an order is good, in seconds (10)
    """

  init(arguments: [String] = [], environment: [String: String] = [:]) throws {
    var isOnce = Reading.isOn(environment["ONCE"])
    var seed = try environment["SEED"].flatMap { $0.isEmpty ? nil : try Self.seed($0) }
    if let value = environment["PORT"], !value.isEmpty { port = try Reading.port(value) }
    if let value = environment["STORE"], !value.isEmpty { store = Reading.file(value) }
    var arguments = Arguments(arguments)
    while let argument = arguments.next() {
      switch argument {
      case "--once": isOnce = true
      case "--port": port = try Reading.port(arguments.value())
      case "--seed": seed = try Self.seed(try arguments.value())
      case "--store": store = Reading.file(try arguments.value())
      case "--pay": task = .pay(drafts: Reading.file(try arguments.value()))
      case "--order": order = try Reading.seconds(arguments.value(), called: "time")
      case "--help", "-h":
        task = .help
        return
      default: throw arguments.unknown()
      }
    }
    if isOnce { task = .once(seed: seed ?? UInt64.random(in: 1...999_999_999)) }
  }

  private static func seed(_ text: String) throws -> UInt64 {
    guard let seed = UInt64(text) else { throw Misunderstood(description: "“\(text)” is no seed: give a number.") }
    return seed
  }
}
