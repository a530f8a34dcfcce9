import Foundation
import LarderHTTP
import LarderTesting
import Testing

@testable import payments_bank

/// The bank as a client sees it.
@Suite struct BankServerTests {
  private let bank: BankServer
  private let client: HTTPClient

  init() throws {
    var rules = BankRules()
    // A slow machine takes its time between a payment and its cancelling.
    rules.settling = 3_600
    rules.tokenLifetime = 3_600
    bank = try BankServer(rules: rules, firstToken: "first", directionKey: "key")
    var options = CurlTransport.Options()
    options.proxy = .none
    options.trustRoots = .only(pem: bank.authority)
    try options.pins.pin("127.0.0.1", to: [try KeyPins.Pin(base64: bank.pin)])
    var configuration = HTTPClient.Configuration()
    configuration.retry = .never
    client = HTTPClient(
      baseURL: bank.url(), configuration: configuration, transport: CurlTransport(options: options))
  }

  private func ask(
    _ method: HTTPMethod, _ path: String, _ body: String = "", _ headers: HTTPHeaders = [:]
  ) async throws -> (status: Int, text: String) {
    var request = HTTPRequest(method, bank.url(path))
    request.headers = headers
    if !body.isEmpty { request.body = .data(Data(body.utf8)) }
    do throws(HTTPError) {
      let response = try await client.response(to: request)
      return (response.head.status, String(decoding: response.body, as: UTF8.self))
    } catch {
      guard let status = error.status else { throw error }
      return (status, error.problem?.title ?? "")
    }
  }

  private func token() async throws -> String {
    let answer = try await ask(.post, "/v1/tokens", #"{"refresh_token":"first"}"#)
    return try #require(BankJSON.value(Tokens.Pair.self, from: Data(answer.text.utf8))).accessToken
  }

  @Test func itsOpeningCanBeCopied() throws {
    let opening = BankCommand.Opening(port: 1, pin: "a/b+c=", authority: "/tmp/bank.pem")
    #expect(try opening.line == #"{"authority":"/tmp/bank.pem","pin":"a/b+c=","port":1}"#)
  }

  @Test func whatIsSaidWithATokenIsForItsRules() throws {
    let environment = ["BANK_TOKEN": "first", "BANK_DIRECTION": "key"]
    func pair(_ arguments: [String]) throws -> Tokens.Pair? {
      let settings = try BankSettings(arguments: arguments, environment: environment)
      return Tokens(first: "first", rules: settings.rules).refresh("first")
    }
    let usual = try pair([])
    #expect(usual?.refreshToken == "first" && usual?.expiresIn == 900)
    let terse = try #require(try pair(["--renewal", "none", "--tokens-without-end"]))
    #expect(try BankJSON.text(terse) == #"{"access_token":"\#(terse.accessToken)"}"#)
    #expect(throws: (any Error).self) { try pair(["--renewal", "x"]) }
    // Another one takes the place of the first.
    var rules = BankRules()
    rules.renewal = .new
    let tokens = Tokens(first: "first", rules: rules)
    let next = try #require(tokens.refresh("first")?.refreshToken)
    #expect(tokens.refresh("first") == nil && tokens.refresh(next) != nil)
  }

  private func order(_ key: String) -> String {
    #"{"account_id":"acc-1","recipient_name":"Ada","recipient_account_number":"DE1","amount":"1.00","#
      + #""currency":"EUR","idempotency_key":"\#(key)"}"#
  }

  @Test func nobodyIsAnsweredWithoutAToken() async throws {
    #expect(try await ask(.get, "/v1/payments").status == 401)
    #expect(try await ask(.get, "/v1/payments", "", ["Authorization": "Bearer none"]).status == 401)
    #expect(try await ask(.post, "/v1/tokens", #"{"refresh_token":"other"}"#).status == 400)
    bank.stop()
  }

  @Test func aPaymentIsFoundByItsReference() async throws {
    let headers: HTTPHeaders = ["Authorization": "Bearer \(try await token())"]
    let made = try await ask(.post, "/v1/payments", order("k-1"), headers)
    #expect(made.status == 201)
    let payment = try #require(BankJSON.value(PaymentJSON.self, from: Data(made.text.utf8)))
    #expect(payment.reference == "k-1" && payment.amount == "1.00" && payment.status == "pending")
    #expect(try await ask(.post, "/v1/payments", order("k-1"), headers).status == 200)
    let found = try await ask(.get, "/v1/payments?reference=k-1", "", headers)
    #expect(BankJSON.value([PaymentJSON].self, from: Data(found.text.utf8)) == [payment])
    #expect(try await ask(.get, "/v1/payments?reference=k-2", "", headers).text == "[]")
    #expect(try await ask(.get, "/v1/payments/\(payment.id)", "", headers).status == 200)
    #expect(try await ask(.post, "/v1/payments/\(payment.id)/cancel", "", headers).text.contains("cancelled"))
    bank.stop()
  }

  @Test func anOrderThatComesTooLateIsRefused() async throws {
    let token = try await token()
    let late = "\(Date.now.timeIntervalSince1970 - 1)"
    let answer = try await ask(
      .post, "/v1/payments", order("late"), ["Authorization": "Bearer \(token)", "Payment-Deadline": late])
    #expect(answer.status == 409 && answer.text == LedgerError.tooLate.title)
    #expect(bank.ledger.payments.isEmpty)
    bank.stop()
  }

  @Test func itIsDirectedByWhoHasTheKey() async throws {
    let headers: HTTPHeaders = ["Authorization": "Bearer \(try await token())"]
    let orders = #"{"faults":["closeAfterCommit"],"share":1,"seed":1}"#
    #expect(try await ask(.post, "/direction/behaviour", orders, ["Direction-Key": "other"]).status == 403)
    #expect(try await ask(.post, "/direction/behaviour", orders, ["Direction-Key": "key"]).status == 204)
    await #expect(throws: HTTPError.self) { try await ask(.post, "/v1/payments", order("cut"), headers) }
    #expect(bank.ledger.payments.map(\.order.idempotencyKey) == ["cut"])
    let unknown = #"{"faults":["none"],"share":1,"seed":1}"#
    #expect(try await ask(.post, "/direction/behaviour", unknown, ["Direction-Key": "key"]).status == 422)
    let books = try await ask(.get, "/direction/ledger", "", ["Direction-Key": "key"])
    #expect(books.text.contains("\"reference\":\"cut\""))
    bank.stop()
  }
}
