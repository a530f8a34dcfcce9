import Foundation
import Synchronization

/// Which bank answers, and for which customer, as the bank itself says it.
///
/// An order that was sent is looked for, and sent again, only where it was sent: whoever else is asked has none of it.
final class PartyFinder: Sendable {
  private struct Answer: Decodable, Sendable {
    var bank: String
    var customer: String
  }

  private let network: any NetworkManagerProtocol
  private let session: BankSession
  private let known = Mutex<(signIns: Int, party: String)?>(nil)

  init(network: any NetworkManagerProtocol, session: BankSession) {
    self.network = network
    self.session = session
  }

  /// Asked once for each time that somebody signs in.
  ///
  /// - Throws: ``NetworkError``.
  func party() async throws -> String? {
    let signIns = session.signIns
    if let known = known.withLock({ $0 }), known.signIns == signIns { return known.party }
    let party: String
    do {
      let answer: Answer = try await network.request(PaymentEndpoint.getCustomer)
      let both = answer.bank + "/" + answer.customer
      // It is sent as a field, which a line's end in it would be the end of.
      guard both.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
        throw NetworkError.decodingError
      }
      party = both
    } catch NetworkError.notFound {
      // A bank that does not say it is the one at this address.
      party = session.place
    }
    known.withLock { $0 = (signIns, party) }
    return party
  }

  /// The bank says that it is another one: it is asked again.
  func forget() { known.withLock { $0 = nil } }
}
