import ExampleSupport
import Foundation
import SwiftData
import Testing

@testable import payments

@Suite struct PaymentDAOTests {
  private let stack: PaymentStack
  private let dao: PaymentDAO

  init() throws {
    stack = try PaymentStack(at: nil)
    dao = PaymentDAO(modelContainer: stack.container)
  }

  private func payment(_ id: String, at seconds: Double = 0, amount: Decimal = 1, status: PaymentStatus = .pending)
    -> Payment
  {
    Payment(
      id: id, accountId: "a", recipientName: "Ada", recipientAccountNumber: "DE1", amount: amount, currency: "EUR",
      status: status, description: nil, reference: "r-\(id)", createdAt: Date(timeIntervalSince1970: seconds),
      completedAt: nil)
  }

  @Test func theNewestComesFirst() async throws {
    try await dao.saveAll([payment("old", at: 1), payment("new", at: 3), payment("middle", at: 2)])
    #expect(try await dao.getAll().map(\.id) == ["new", "middle", "old"])
    #expect(try await dao.getById("middle") == payment("middle", at: 2))
    #expect(try await dao.getById("none") == nil)
  }

  @Test func whatIsThereIsUpdated() async throws {
    try await dao.save(payment("one"))
    try await dao.save(payment("one", status: .completed))
    #expect(try await dao.getAll() == [payment("one", status: .completed)])
  }

  @Test func oneAndAllAreDeleted() async throws {
    try await dao.saveAll((0..<5).map { payment("\($0)") })
    try await dao.delete("3")
    try await dao.delete("none")
    #expect(try await dao.getAll().count == 4)
    try await dao.deleteAll()
    #expect(try await dao.getAll().isEmpty)
  }

  @Test func thoseUnsyncedForAnHour() async throws {
    try await dao.saveAll((0..<4).map { payment("\($0)", at: Double($0)) })
    let context = stack.newBackgroundContext()
    for entity in try context.fetch(FetchDescriptor<PaymentEntity>()) {
      switch entity.id {
      case "0": entity.syncedAt = nil
      case "1": entity.syncedAt = .now.addingTimeInterval(-PaymentDAO.syncAge - 1)
      case "2": entity.syncedAt = .now.addingTimeInterval(-PaymentDAO.syncAge + 60)
      default: break
      }
    }
    try context.save()
    #expect(try await dao.getUnsyncedPayments().map(\.id) == ["1", "0"])
  }

  @Test func amountsAreExact() async throws {
    let amount = try #require(Decimal(string: "90071992547409.93"))
    try await dao.save(payment("large", amount: amount))
    #expect(try await dao.getById("large")?.amount == amount)
  }
}
