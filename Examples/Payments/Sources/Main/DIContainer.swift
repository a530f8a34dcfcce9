import ExampleSupport
import Foundation
import LarderHTTP
import LarderSecrets
import SwiftData

/// What the program is made of, put together in one place and handed to whoever needs it.
struct DIContainer: Sendable {
  let stack: PaymentStack
  let networkManager: any NetworkManagerProtocol
  let paymentDAO: any PaymentDAOProtocol
  let desk: PaymentDesk
  let sender: PaymentSender
  let paymentRepository: any PaymentRepository
  /// Where the customer signs in; nil where no bank is asked.
  private(set) var session: BankSession?
  /// Whether they are signed in.
  private(set) var authentication: BearerAuthentication?

  /// Who signs in again when the session has ended.
  var customer: (any CustomerSession)? {
    guard let session, let authentication else { return nil }
    return BankCustomer(session: session, authentication: authentication)
  }

  /// - Parameters:
  ///   - bank: Where the bank is.
  ///   - secrets: Where the customer's secret is kept.
  ///   - store: The store's file; nil for one in memory.
  ///   - patience: The times between things.
  ///   - logger: Is told of each request; what is private is hidden from it.
  ///   - proxy: What leads to the bank.
  ///   - tell: Is told, in sentences, what somebody has to mend beside the session.
  init(
    bank: BankEnvironment, secrets: any SecretStore, store: URL?, patience: PaymentSender.Patience = .init(),
    logger: HTTPLogger? = nil,
    proxy: CurlTransport.Proxy = .environment, tell: @escaping @Sendable (String) -> Void = { Terminal.say($0) }
  ) throws {
    var configuration = HTTPClient.Configuration()
    configuration.decoder = JSONDecoder.standardDecoder
    configuration.encoder = JSONEncoder.standardEncoder
    // An order has its own deadline at the bank; what comes after it is of no use. The queue tries again, not the client:
    // whether a payment may be sent once more is for the bank to say.
    configuration.deadlines.total = .seconds(patience.order)
    configuration.retry = .never
    configuration.logger = logger
    let transport = try bank.transport(proxy: proxy)
    let own = HTTPClient(baseURL: bank.baseURL, configuration: configuration, transport: transport)
    let session = BankSession(secrets: secrets, client: own, tell: tell)
    let authentication = BearerAuthentication(session)
    configuration.authentication = .bearer(authentication)
    let network = NetworkManager(
      client: HTTPClient(baseURL: bank.baseURL, configuration: configuration, transport: transport),
      clock: PaymentEndpoint.clock)
    let finder = PartyFinder(network: network, session: session)
    try self.init(
      network: network, store: store, patience: patience, party: { try await finder.party() },
      forgetParty: { finder.forget() })
    self.session = session
    self.authentication = authentication
  }

  /// With another network: a test's.
  init(
    network: any NetworkManagerProtocol, store: URL?, patience: PaymentSender.Patience = .init(),
    party: @escaping @Sendable () async throws -> String? = { nil }, forgetParty: @escaping @Sendable () -> Void = {}
  ) throws {
    stack = try PaymentStack(at: store)
    if let store { try ProgramLock.noteUse(of: store) }
    networkManager = network
    paymentDAO = PaymentDAO(modelContainer: stack.container)
    desk = PaymentDesk(modelContainer: stack.container)
    sender = PaymentSender(network: network, desk: desk, patience: patience, party: party, forgetParty: forgetParty)
    paymentRepository = PaymentRepositoryImpl(
      networkManager: network, paymentDAO: paymentDAO, desk: desk, sender: sender)
  }
}
