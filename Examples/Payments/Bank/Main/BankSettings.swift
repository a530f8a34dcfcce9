import ExampleSupport
import Foundation

/// How the bank was asked to be. Secrets come by the environment: arguments are seen by every user of the machine.
struct BankSettings: Equatable {
  var rules = BankRules()
  /// Where the certificate of its authority is put.
  var authority = URL(filePath: "bank-authority.pem")
  /// Where the books are kept; nil for books in memory.
  var books: Books?
  var firstToken = ""
  var directionKey = ""
  var wantsHelp = false

  static let help = """
    payments-bank: a bank on this machine, over TLS, with books. It ends when its standard input does.

      --keys KIND         honours, forgets or none: what becomes of idempotency keys (honours)
      --forgets-after S   how long a key is kept by a bank that forgets, in seconds (0.2)
      --tokens S          how long a token is good, in seconds (900)
      --tokens-without-end
                          has nothing said of that with a token
      --renewal KIND      same, new or none: what a refresh gives to refresh by the next time (same)
      --customer NAME     what the bank calls its customer (customer-1)
      --rate N            the most requests in a second (500)
      --books FILE        where the books are kept, which else are in memory and go with the program
      --authority FILE    where the certificate of its authority is put (bank-authority.pem)

    BANK_TOKEN is the secret by which its customer signs in, BANK_DIRECTION the one by which it is directed.
    """

  init(arguments: [String], environment: [String: String]) throws {
    var arguments = Arguments(arguments)
    while let argument = arguments.next() {
      switch argument {
      case "--keys":
        let name = try arguments.value()
        guard let keys = BankRules.Keys(rawValue: name) else {
          throw Misunderstood(description: "“\(name)” is no kind of keys: give honours, forgets or none.")
        }
        rules.keys = keys
      case "--forgets-after": rules.forgetsAfter = try Reading.seconds(arguments.value(), called: "time")
      case "--tokens": rules.tokenLifetime = try Reading.seconds(arguments.value(), called: "time")
      case "--tokens-without-end": rules.tellsTokenLifetime = false
      case "--renewal":
        let name = try arguments.value()
        guard let renewal = BankRules.Renewal(rawValue: name) else {
          throw Misunderstood(description: "“\(name)” is no kind of renewal: give same, new or none.")
        }
        rules.renewal = renewal
      case "--customer": rules.customer = try arguments.value()
      case "--rate":
        guard let rate = Int(try arguments.value()), rate > 0 else {
          throw Misunderstood(description: "--rate needs a number of requests, 1 or more.")
        }
        rules.requestsPerSecond = rate
      case "--books": books = Books(file: Reading.file(try arguments.value()))
      case "--authority": authority = Reading.file(try arguments.value())
      case "--help", "-h": wantsHelp = true
      default: throw arguments.unknown()
      }
    }
    firstToken = environment["BANK_TOKEN"] ?? ""
    directionKey = environment["BANK_DIRECTION"] ?? ""
    if !wantsHelp, firstToken.isEmpty || directionKey.isEmpty {
      throw Misunderstood(description: "BANK_TOKEN and BANK_DIRECTION must be set; --help tells what they are.")
    }
  }
}
