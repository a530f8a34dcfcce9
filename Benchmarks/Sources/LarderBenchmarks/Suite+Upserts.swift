import SwiftData

extension Suite {
  /// Decoded records straight into rows: an empty store, one that has them, and one that has others under their keys.
  func upserts() async throws {
    let count = records.count
    let limit = try stores.limit(.flat)
    let container = try stores.container()
    try await upsert("upsert of records, empty store", records, limit, container, inserted: count)
    try await upsert("upsert of records, unchanged rows", records, limit, container, unchanged: count)
    try await upsert("upsert of records, changed rows", changed, limit, container, updated: count)
  }

  private func upsert(
    _ name: String, _ records: Records, _ limit: Limit, _ container: ModelContainer, inserted: Int = 0,
    updated: Int = 0,
    unchanged: Int = 0
  ) async throws {
    var report: UpsertReport?
    try await measure(name, budget: Budget.upsert, rows: records.count) {
      try limit.upsert(records, records.count)
    } ours: {
      report = try container.upsert(records.dtos, into: Quake.self, by: \.code) { quake in
        quake.set(\.code) { $0.code }
        quake.set(\.magnitude) { $0.magnitude }
        quake.set(\.time) { $0.time }
        quake.set(\.place) { $0.place }
        quake.set(\.longitude) { $0.longitude }
        quake.set(\.latitude) { $0.latitude }
      }
    }
    guard let report else { return }
    let counts = [report.inserted, report.updated, report.unchanged, report.failed]
    try require(counts == [inserted, updated, unchanged, 0], "the upsert did what it should: \(counts)")
  }
}
