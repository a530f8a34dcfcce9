import SwiftData

extension Suite {
  /// Decoded records straight into rows: an empty store, one that has them, and one that has others under their keys.
  func upserts() async throws {
    let limit = try stores.limit(.flat)
    let container = try stores.container()
    for change in Change.allCases {
      try await upsert(
        Self.upsertName(change), change == .changed ? changed : records, records.count, change, limit, container)
    }
  }

  /// What the store has of the records already.
  enum Change: String, CaseIterable {
    case none = "empty store"
    case unchanged = "unchanged rows"
    case changed = "changed rows"

    /// How many rows are inserted, updated and left as they are, and how many records fail.
    func counts(_ count: Int) -> [Int] {
      switch self {
      case .none: [count, 0, 0, 0]
      case .unchanged: [0, 0, count, 0]
      case .changed: [0, count, 0, 0]
      }
    }
  }

  static func upsertName(_ change: Change) -> String { "upsert of records, \(change.rawValue)" }

  func upsert(
    _ name: String, _ records: Records, _ count: Int, _ change: Change, _ limit: Limit, _ container: ModelContainer
  ) async throws {
    let dtos = count == records.count ? records.dtos : Array(records.dtos.prefix(count))
    var report: UpsertReport?
    try await measure(name, budget: judged(Budget.upsert, count), rows: count) {
      try limit.upsert(records, count)
    } ours: {
      report = try container.upsert(dtos, into: Quake.self, by: \.code) { quake in
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
    try require(counts == change.counts(count), "the upsert did what it should: \(counts)")
  }
}
