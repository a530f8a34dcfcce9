import Foundation
import LarderHTTP
import Synchronization

@testable import payments

/// A bank without a network: it books what it is asked to, or fails as a test says.
final class PageBank: NetworkManagerProtocol {
  private struct State {
    var booked: [PaymentDTO] = []
    var failure: NetworkError?
    var losesAnswers = false
    var orders: [CreatePaymentRequest] = []
  }

  private let state = Mutex(State())

  /// What it answers instead, until it is nil again.
  var failure: NetworkError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// Whether it books, and then does not answer.
  var losesAnswers: Bool {
    get { state.withLock { $0.losesAnswers } }
    set { state.withLock { $0.losesAnswers = newValue } }
  }

  /// Every order that reached it.
  var orders: [CreatePaymentRequest] { state.withLock { $0.orders } }
  var booked: [PaymentDTO] { state.withLock { $0.booked } }

  func request<T: Decodable & SendableMetatype>(_ endpoint: some APIEndpoint) async throws -> T {
    let data = try answer(endpoint as! PaymentEndpoint)
    return try JSONDecoder.standardDecoder.decode(T.self, from: data)
  }

  func timedRequest<T: Decodable & SendableMetatype>(_ endpoint: some APIEndpoint) async throws -> Timed<T> {
    Timed(value: try await request(endpoint), time: .now)
  }

  func request(_ endpoint: some APIEndpoint) async throws { _ = try answer(endpoint as! PaymentEndpoint) }

  private func answer(_ endpoint: PaymentEndpoint) throws -> Data {
    try state.withLock { state in
      if case .createPayment(let body, _, _) = endpoint {
        state.orders.append(try JSONDecoder.standardDecoder.decode(CreatePaymentRequest.self, from: body))
      }
      if let failure = state.failure { throw failure }
      switch endpoint {
      case .getPayments: return try Self.json(state.booked.reversed())
      case .findPayments(let reference, _): return try Self.json(state.booked.filter { $0.reference == reference })
      case .getPayment(let id): return try Self.json(state.booked.first { $0.id == id })
      case .createPayment:
        let order = state.orders[state.orders.count - 1]
        if order.accountId == "acc-2" { throw Self.refusal("There is not enough on the account.") }
        state.booked.append(Self.dto(order, number: state.booked.count + 1, status: "pending"))
        if state.losesAnswers { throw NetworkError.noAnswer }
        return try Self.json(state.booked.last)
      case .getCustomer: throw NetworkError.notFound
      case .cancelPayment(let id):
        guard let place = state.booked.firstIndex(where: { $0.id == id }) else { throw NetworkError.notFound }
        state.booked[place] = Self.dto(state.booked[place], status: "cancelled")
        return try Self.json(state.booked[place])
      }
    }
  }

  static func refusal(_ words: String) -> NetworkError {
    .httpError(statusCode: 422, reason: words, type: "urn:bank:refusal")
  }

  private static func json(_ value: some Encodable) throws -> Data { try JSONEncoder.standardEncoder.encode(value) }

  private static func dto(_ order: CreatePaymentRequest, number: Int, status: String) -> PaymentDTO {
    PaymentDTO(
      id: "p-\(number)", accountId: order.accountId, recipientName: order.recipientName,
      recipientAccountNumber: order.recipientAccountNumber, amount: order.amount, currency: order.currency,
      status: status, description: order.description, reference: order.idempotencyKey,
      createdAt: "2026-01-0\(min(9, number))T10:00:00Z", completedAt: nil)
  }

  private static func dto(_ dto: PaymentDTO, status: String) -> PaymentDTO {
    PaymentDTO(
      id: dto.id, accountId: dto.accountId, recipientName: dto.recipientName,
      recipientAccountNumber: dto.recipientAccountNumber, amount: dto.amount, currency: dto.currency, status: status,
      description: dto.description, reference: dto.reference, createdAt: dto.createdAt, completedAt: dto.createdAt)
  }
}
