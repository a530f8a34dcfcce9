import Foundation
import LarderHTTP
import Synchronization

@testable import payments

/// A bank behind a ``MockNetwork``: it makes a payment for each order that reaches it.
final class MockBank: Sendable {
  /// What becomes of an order.
  enum Outcome: Sendable, Hashable {
    case answered
    /// It is booked, and the answer is lost.
    case lostAnswer
    /// It does not arrive, which nobody is told.
    case lostOrder
    /// Nothing of it is sent.
    case notSent
    case fails(NetworkErrorKind)
  }

  /// What a failure is made of; errors cannot be compared.
  enum NetworkErrorKind: Sendable, Hashable {
    case refused(Int, String)
    case limited, unauthorized, forbidden, server, notSetUp
  }

  private let state = Mutex((booked: [PaymentDTO](), outcomes: [Outcome]()))

  var booked: [PaymentDTO] { state.withLock { $0.booked } }

  /// What becomes of the next orders; of those after them all is well.
  func meet(_ outcomes: [Outcome]) { state.withLock { $0.outcomes = outcomes } }

  @Sendable func answer(_ asked: MockNetwork.Asked) throws -> Data {
    let encoder = JSONEncoder.standardEncoder
    switch asked.name {
    case "POST /v1/payments": return try encoder.encode(try pay(asked))
    case "GET /v1/payments":
      let reference = asked.query["reference"]
      return try encoder.encode(booked.filter { reference == nil || $0.reference == reference })
    default: throw NetworkError.notFound
    }
  }

  private func pay(_ asked: MockNetwork.Asked) throws -> PaymentDTO {
    let outcome = state.withLock { $0.outcomes.isEmpty ? .answered : $0.outcomes.removeFirst() }
    switch outcome {
    case .answered: return try book(asked)
    case .lostAnswer:
      _ = try book(asked)
      throw NetworkError.noAnswer
    case .lostOrder: throw NetworkError.noAnswer
    case .notSent: throw NetworkError.notSent
    case .fails(.refused(let status, let reason)):
      // Without a reason it is no answer of the bank's own.
      throw NetworkError.httpError(
        statusCode: status, reason: reason.isEmpty ? nil : reason, type: reason.isEmpty ? nil : "urn:bank:no")
    case .fails(.limited): throw NetworkError.limited(until: nil)
    case .fails(.unauthorized): throw NetworkError.unauthorized
    case .fails(.forbidden): throw NetworkError.forbidden
    case .fails(.notSetUp): throw NetworkError.notSetUp
    case .fails(.server): throw NetworkError.serverError(statusCode: 503)
    }
  }

  private func book(_ asked: MockNetwork.Asked) throws -> PaymentDTO {
    let order = try JSONDecoder.standardDecoder.decode(CreatePaymentRequest.self, from: asked.body ?? Data())
    return state.withLock { state in
      let payment = PaymentDTO(
        id: "p-\(state.booked.count + 1)", accountId: order.accountId, recipientName: order.recipientName,
        recipientAccountNumber: order.recipientAccountNumber, amount: order.amount, currency: order.currency,
        status: "pending", description: order.description, reference: order.idempotencyKey,
        createdAt: "2026-11-25T12:00:00Z", completedAt: nil)
      state.booked.append(payment)
      return payment
    }
  }
}
