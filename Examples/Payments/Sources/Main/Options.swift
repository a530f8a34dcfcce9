import ExampleSupport
import Foundation

/// What the program was asked to do.
struct Options: Equatable {
  /// The page's port, if none is given: beside those of the other examples.
  static let usualPort: UInt16 = 8644

  enum Task: Equatable {
    /// The page, until somebody stops it.
    case demo
    /// Many payments, faults and kills; then the books are compared.
    case once(seed: UInt64)
    /// Pays what a file asks for, and ends.
    case pay(drafts: URL)
    /// Signs in to the bank that the environment names, and ends.
    case signIn
    /// Tells what the bank has refused, and ends.
    case refused
    /// Tells no more of one that was refused, by its name, or of all of them (nil).
    case putAway(name: String?)
    case help
  }

  var task = Task.demo
  var port = Options.usualPort
  /// The store's file; nil for the usual place (for one round: a new one).
  var store: URL?
  /// How long an order is good, in seconds.
  var order = 10.0

  static let help = """
    payments: pays, each payment exactly once, whatever fails; on a page of this machine, from a bank on this machine.

      --port N        (PORT=N)   the page's port, \(usualPort) by default; 0 for any that is free
      --store FILE    (STORE=FILE)
                                 the store; by default payments/payments.store in the user's data folder
      --order S       (ORDER=S)  how long an order is good, in seconds (10)

    Instead of the page, one of:

      --once          (ONCE=1)   200 payments through a line that fails, with a bank that fails and a program that is
                                 killed; then the bank's books are compared, and a line of JSON tells
      --seed N        (SEED=N)   of --once: what decides the faults; a new one, printed, if none is given
      --pay FILE                 pays what a file of JSON asks for, and ends; needs a --store
      --sign-in                  signs in by \(BankEnvironment.Variable.token.rawValue), or by what is typed; needs a --store
      --refused                  tells what the bank has refused, each with its name
      --put-away NAME            tells no more of one that it has refused
      --put-away-all             tells no more of any of them
      --help                     this

    For --pay and --sign-in the environment says where the bank is, and how it is known:

      \(BankEnvironment.Variable.url.rawValue)         its address, https
      \(BankEnvironment.Variable.pins.rawValue)        the SHA-256 of its keys in Base64, separated by commas
      \(BankEnvironment.Variable.authority.rawValue)   a file with the authority to believe in, instead of the system's
      \(BankEnvironment.Variable.token.rawValue)       what signs in; another than the last time signs in anew
      \(Payer.secretKey)  the key of the secrets beside the store: openssl rand -base64 32
    """

  init(arguments: [String] = [], environment: [String: String] = [:]) throws {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    var seed = try variable("SEED").map(Self.seed)
    // By how each was asked for.
    var tasks: [(word: String, task: Task)] = []
    if Reading.isOn(environment["ONCE"]) { tasks.append(("ONCE=", .once(seed: 0))) }
    if let value = variable("PORT") { port = try Reading.port(value) }
    if let value = variable("STORE") { store = Reading.file(value) }
    if let value = variable("ORDER") { order = try Reading.seconds(value, called: "time") }
    var arguments = Arguments(arguments)
    while let argument = arguments.next() {
      switch argument {
      case "--once": tasks.append((argument, .once(seed: 0)))
      case "--port": port = try Reading.port(arguments.value())
      case "--seed": seed = try Self.seed(try arguments.value())
      case "--store": store = Reading.file(try arguments.value())
      case "--pay": tasks.append((argument, .pay(drafts: Reading.file(try arguments.value()))))
      case "--sign-in": tasks.append((argument, .signIn))
      case "--refused": tasks.append((argument, .refused))
      case "--put-away": tasks.append((argument, .putAway(name: try arguments.value())))
      case "--put-away-all": tasks.append((argument, .putAway(name: nil)))
      case "--order": order = try Reading.seconds(arguments.value(), called: "time")
      case "--help", "-h":
        task = .help
        return
      default: throw arguments.unknown()
      }
    }
    guard let first = tasks.first else { return }
    if let other = tasks.first(where: { $0.task != first.task }) {
      throw Misunderstood(description: "\(first.word) and \(other.word) ask for two things: give one of them.")
    }
    task = first.task
    if case .once = task { task = .once(seed: seed ?? UInt64.random(in: 1...999_999_999)) }
  }

  private static func seed(_ text: String) throws -> UInt64 {
    guard let seed = UInt64(text) else { throw Misunderstood(description: "“\(text)” is no seed: give a number.") }
    return seed
  }
}
