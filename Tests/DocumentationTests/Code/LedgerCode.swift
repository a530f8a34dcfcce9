import Foundation
import Larder

/// What the article for those who come from Core Data and URLSession shows.
// snippet: ledger entry
@Model
final class LedgerEntry {
  @Attribute(.unique) var id: String
  var amount: Decimal
  var createdAt: Date
  var syncedAt: Date?

  init(id: String, amount: Decimal, createdAt: Date) {
    self.id = id
    self.amount = amount
    self.createdAt = createdAt
  }
}
// snippet end

// snippet: ledger dao
@ModelActor
actor LedgerDAO {
  func newest(_ count: Int) throws -> [PersistentIdentifier] {
    var descriptor = FetchDescriptor<LedgerEntry>(sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    descriptor.fetchLimit = count
    return try modelContext.fetchIdentifiers(descriptor)
  }

  /// Those of which the server has not said anything for an hour.
  func unsynced() throws -> Int {
    let oneHourAgo = Date.now.addingTimeInterval(-3_600)
    return try modelContext.fetchCount(
      FetchDescriptor<LedgerEntry>(predicate: #Predicate { $0.syncedAt.flatMap { $0 >= oneHourAgo } != true }))
  }

  func deleteAll() throws {
    try modelContext.delete(model: LedgerEntry.self)
    try modelContext.save()
  }
}
// snippet end

// snippet: ledger dto
struct LedgerDTO: Decodable, Sendable {
  var id: String
  var amount: String
  var createdAt: Date
}

struct NoAmount: Error {}
// snippet end

extension LedgerDAO {
  // snippet: ledger sync
  func sync(by client: HTTPClient) async throws -> Int {
    let dtos = try await client.request(Endpoint<[LedgerDTO]>.get("/v1/entries"))
    let now = Date.now
    let report = try modelContext.upsert(dtos, into: LedgerEntry.self, by: \.id) { entry in
      entry.set(\.id) { $0.id }
      entry.set(\.amount) {
        guard let amount = Decimal(string: $0.amount) else { throw NoAmount() }
        return amount
      }
      entry.set(\.createdAt) { $0.createdAt }
      entry.set(\.syncedAt) { _ in now }
    }
    return report.inserted + report.updated
  }
  // snippet end
}
