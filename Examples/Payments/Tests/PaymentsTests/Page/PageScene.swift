import ExampleSupport
import Foundation
import FoundationNetworking
import LarderHTTP
import Synchronization
import Testing

@testable import payments

/// Everything but the terminal and the network: a bank, a store in memory, a screen that runs, and a page.
@MainActor
final class PageScene {
  /// A line that is a switch, and a bank that remembers what it was told.
  final class Controls: DemoControls {
    let connectivity = ManualConnectivityMonitor(.up)
    private let state = Mutex((isCut: false, conduct: BankConduct.well))
    var isCut: Bool { state.withLock { $0.isCut } }
    var conduct: BankConduct { state.withLock { $0.conduct } }
    func cut() { state.withLock { $0.isCut = true } }
    func mend() { state.withLock { $0.isCut = false } }
    /// Is told the code by which the bank is to be signed in to.
    let ended: @Sendable (String) -> Void
    init(ended: @escaping @Sendable (String) -> Void) { self.ended = ended }
    func endSession() -> String {
      ended("letter")
      return "letter"
    }
    func behave(_ conduct: BankConduct) { state.withLock { $0.conduct = conduct } }
  }

  let bank: PageBank
  let controls: Controls
  let container: DIContainer
  let screen: PaymentScreen
  let page: PageServer
  private let running: Task<Void, Never>

  /// - Parameters:
  ///   - isRunning: Whether payments are sent and synced; else what is taken stays where it is.
  ///   - isPushing: Whether, without that, windows are told of changes.
  ///   - patience: The times between things.
  convenience init(
    isRunning: Bool = true, isPushing: Bool = false,
    patience: PaymentSender.Patience = .init(order: 0.2, clocks: 0.05, again: 0.05)
  )
    async throws
  {
    let bank = PageBank()
    try self.init(
      DIContainer(network: bank, store: nil, patience: patience), bank, isRunning: isRunning, isPushing: isPushing
    ) { _ in }
  }

  /// With a bank of a test's own.
  ///
  /// - Parameter ended: Is told the code that the bank is to know, when it is to end the session.
  convenience init(container: DIContainer, ended: @escaping @Sendable (String) -> Void) throws {
    try self.init(container, PageBank(), isRunning: true, isPushing: false, ended: ended)
  }

  private init(
    _ container: DIContainer, _ bank: PageBank, isRunning: Bool, isPushing: Bool,
    ended: @escaping @Sendable (String) -> Void
  ) throws {
    self.container = container
    self.bank = bank
    controls = Controls(ended: ended)
    let screen = try PaymentScreen(container: container, connectivity: controls.connectivity, controls: controls)
    self.screen = screen
    page = try PageServer(port: 0, screen: screen)
    running = Task {
      if isRunning { await screen.run() }
      if isPushing { await screen.push() }
    }
  }

  /// Ends all of it.
  func end() async {
    running.cancel()
    screen.events.close()
    await page.stop()
    await running.value
  }

  func until(_ what: String, _ condition: () async throws -> Bool) async throws {
    try await wait(for: what, condition)
  }

  func get(_ path: String = "/") async throws -> String {
    let (status, text) = try await send(request(path))
    #expect(status == 200)
    return text
  }

  func request(_ path: String, headers: [String: String] = [:]) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: path, relativeTo: page.url)), timeoutInterval: 600)
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  func send(_ request: URLRequest) async throws -> (status: Int, text: String) {
    let (data, response) = try await URLSession.shared.data(for: request)
    return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
  }

  /// Sends a form, as a plain browser or as the page's script does.
  func post(
    _ path: String, _ fields: [(String, String)], asScript: Bool = false, headers: [String: String] = [:]
  ) async throws -> (status: Int, text: String) {
    var request = try request(path, headers: headers)
    request.httpMethod = "POST"
    func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
    request.httpBody = Data(fields.map { "\(escaped($0))=\(escaped($1))" }.joined(separator: "&").utf8)
    if asScript { request.setValue("application/json", forHTTPHeaderField: "Accept") }
    return try await send(request)
  }

  /// The fields of a form that was drawn.
  func fields(of html: String, recipient: String = "Ada", amount: String = "12.50", account: String = "acc-1") throws
    -> [(String, String)]
  {
    let name = try #require(html.firstMatch(of: /name="name" value="([^"]*)"/)).output.1
    return [
      ("name", String(name)), ("account", account), ("recipient", recipient), ("number", "DE89 3704 0044 0532 0130 00"),
      ("amount", amount), ("description", "Rent"),
    ]
  }

  /// Pays by a form of its own.
  func pay(_ recipient: String = "Ada", _ amount: String = "12.50", account: String = "acc-1") async throws {
    let fields = try fields(of: try await get(), recipient: recipient, amount: amount, account: account)
    #expect(try await post("/pay", fields).status == 200)
  }
}
