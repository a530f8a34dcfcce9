import Foundation
import SwiftData

/// The payments of the store.
protocol PaymentDAOProtocol: Sendable {
  func getAll() async throws -> [Payment]
  func getById(_ id: String) async throws -> Payment?
  func save(_ payment: Payment) async throws
  func saveAll(_ payments: [Payment]) async throws
  func delete(_ id: String) async throws
  func deleteAll() async throws
  /// Those of which the bank has not said anything for an hour.
  func getUnsyncedPayments() async throws -> [Payment]
}

/// The payments of the store, read and written away from whoever shows them.
@ModelActor
actor PaymentDAO: PaymentDAOProtocol {
  static let syncAge: TimeInterval = 3_600

  func getAll() throws -> [Payment] {
    try modelContext.fetch(FetchDescriptor<PaymentEntity>(sortBy: [SortDescriptor(\.createdAt, order: .reverse)]))
      .map { $0.toDomain() }
  }

  func getById(_ id: String) throws -> Payment? { try entity(id)?.toDomain() }

  func save(_ payment: Payment) throws { try saveAll([payment]) }

  func saveAll(_ payments: [Payment]) throws {
    try modelContext.saving {
      for payment in payments { try modelContext.store(payment) }
    }
  }

  func delete(_ id: String) throws {
    try modelContext.saving {
      if let entity = try entity(id) { modelContext.delete(entity) }
    }
  }

  func deleteAll() throws {
    try modelContext.saving { try modelContext.delete(model: PaymentEntity.self) }
  }

  func getUnsyncedPayments() throws -> [Payment] {
    let oneHourAgo = Date.now.addingTimeInterval(-Self.syncAge)
    let descriptor = FetchDescriptor<PaymentEntity>(
      predicate: #Predicate { $0.syncedAt.flatMap { $0 >= oneHourAgo } != true },
      sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    return try modelContext.fetch(descriptor).map { $0.toDomain() }
  }

  private func entity(_ id: String) throws -> PaymentEntity? {
    try modelContext.fetch(FetchDescriptor<PaymentEntity>(predicate: #Predicate { $0.id == id })).first
  }
}

extension ModelContext {
  /// Inserts a payment, or updates what the store has of it. It is not saved by this.
  func store(_ payment: Payment) throws {
    let id = payment.id
    let descriptor = FetchDescriptor<PaymentEntity>(predicate: #Predicate { $0.id == id })
    if let entity = try fetch(descriptor).first {
      entity.update(from: payment)
    } else {
      insert(PaymentEntity(from: payment))
    }
  }

  /// Saves what the body changes, or nothing of it.
  func saving<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      let result = try body()
      try save()
      return result
    } catch {
      rollback()
      throw error
    }
  }
}
