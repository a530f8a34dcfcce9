import Foundation
import LarderHTTP
import Testing

@testable import payments

/// What is believed of the bank's clock.
@Suite struct BankTimeTests {
  private func time(_ field: String?) async throws -> Date? {
    let stub = TransportStub { _ in .json("[]", headers: field.map { ["Payment-Time": $0] } ?? [:]) }
    let url = try #require(URL(string: "https://bank.example"))
    let network = NetworkManager(client: HTTPClient(baseURL: url, transport: stub))
    let answer: Timed<[PaymentDTO]> = try await network.timedRequest(PaymentEndpoint.findPayments(reference: "r"))
    return answer.time
  }

  @Test(arguments: [0, 1_000_000_000, Date.now.timeIntervalSince1970, Date.now.timeIntervalSince1970 + 80_000])
  func whatAClockMayShowIsBelieved(_ seconds: Double) async throws {
    #expect(try await time("\(seconds)") == Date(timeIntervalSince1970: seconds))
  }

  /// By each of them the deadline of every order would have passed, or none ever would.
  @Test(arguments: [
    "inf", "infinity", "nan", "-inf", "-nan", "1e300", "99999999999", "-1", "", "soon", "1785000000000",
    "\(Date.now.timeIntervalSince1970 + 100_000)",
  ])
  func whatNoClockShowsIsNot(_ field: String) async throws {
    #expect(try await time(field) == nil)
  }

  /// The order is sent again only when nothing can come of the first any more.
  @Test func aClockOutOfItsMindHasNothingPaidTwice() async throws {
    let scene = try Scene()
    _ = try await scene.desk.accept(Scene.draft())
    // This machine's clock was ahead by an hour, and is set back: the bank may book it until then.
    let order = try #require(try await scene.desk.begin("first", deadline: .now + 3_600))
    let stub = TransportStub { _ in .json("[]", headers: ["Payment-Time": "inf"]) }
    let url = try #require(URL(string: "https://bank.example"))
    var sender = scene.sender
    sender = PaymentSender(
      network: NetworkManager(client: HTTPClient(baseURL: url, transport: stub)), desk: sender.desk,
      patience: sender.patience)
    await #expect(throws: PaymentFailure.unknown) { try await sender.resolve(order) }
    #expect(stub.requests.count == 1)
    #expect(try await scene.desk.order("first")?.state == .sent)
  }
}
