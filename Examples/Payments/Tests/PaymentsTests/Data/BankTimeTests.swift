import Foundation
import LarderHTTP
import Testing

@testable import payments

/// What is believed of the bank's clock.
@Suite struct BankTimeTests {
  private func time(_ field: String?) async throws -> Date? {
    let stub = TransportStub { _ in .json("[]", headers: field.map { ["Payment-Time": $0] } ?? [:]) }
    let url = try #require(URL(string: "https://bank.example"))
    let network = NetworkManager(client: HTTPClient(baseURL: url, transport: stub), clock: PaymentEndpoint.clock)
    let answer: Timed<[PaymentDTO]> = try await network.timedRequest(PaymentEndpoint.findPayments(reference: "r"))
    return answer.time
  }

  @Test(arguments: [0, 1_000_000_000, Date.now.timeIntervalSince1970, Date.now.timeIntervalSince1970 + 80_000])
  func whatAClockMayShowIsBelieved(_ seconds: Double) async throws {
    #expect(try await time("\(seconds)") == Date(timeIntervalSince1970: seconds))
  }

  /// By each of them the deadline of every order would have passed, or none ever would.
  @Test(arguments: [
    "inf", "infinity", "nan", "-inf", "-nan", "1e300", "-1", "", "soon", "1785000000000",
  ])
  func whatNoClockShowsIsNot(_ field: String) async throws {
    #expect(try await time(field) == nil)
  }

  /// An order of an hour ago or of a clock that was ahead, of which the bank says that it has none, and what its clock shows.
  private func resolved(_ scene: Scene, deadline: Date, _ field: String) async throws -> PaymentFailure? {
    _ = try await scene.desk.accept(Scene.draft())
    let order = try #require(try await scene.desk.begin("first", deadline: deadline))
    let stub = TransportStub { _ in .json("[]", headers: ["Payment-Time": field]) }
    let url = try #require(URL(string: "https://bank.example"))
    let sender = PaymentSender(
      network: NetworkManager(client: HTTPClient(baseURL: url, transport: stub), clock: PaymentEndpoint.clock),
      desk: scene.sender.desk,
      patience: scene.sender.patience)
    let failure = await #expect(throws: PaymentFailure.self) { try await sender.resolve(order) }
    #expect(stub.requests.count == 1)
    return failure
  }

  /// The order is sent again only when nothing can come of the first any more. This machine's clock was ahead by an hour,
  /// and is set back: the bank may book it until then.
  @Test(arguments: ["inf", "99999999999", "\(Date.now.timeIntervalSince1970 + 100_000)"])
  func aClockOutOfItsMindHasNothingPaidTwice(_ field: String) async throws {
    let scene = try Scene()
    #expect(try await resolved(scene, deadline: .now + 3_600, field) == .unknown)
    #expect(try await scene.desk.order("first")?.state == .sent)
  }

  /// A machine that begins in 1970, or is set back by days: what it was when the order was sent is known.
  @Test func aMachineWithoutAClockBelievesTheBank() async throws {
    let scene = try Scene()
    let deadline = Date.now + 5 * 86_400
    let field = "\(deadline.timeIntervalSince1970 + 60)"
    #expect(try await resolved(scene, deadline: deadline, field) == .lostOnTheWay)
    #expect(try await scene.desk.order("first")?.state == .waiting)
  }
}
