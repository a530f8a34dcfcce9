import Foundation

/// What came of one round of synchronisation.
enum SyncReport: Sendable {
  /// The feed was read; its good features are in the store.
  case synced(SyncCounts, fetched: Int, rejected: [RejectedFeature])
  /// The feed is the one that the store has; no row was read, and the store was not asked.
  case notModified(features: Int, rejected: [RejectedFeature])
  /// The feed could not be had; the store is as it was.
  case failed(NetworkError)
  /// The feed was read, but the store refused it. The store has what it had; of what an upsert brought, the first part.
  case notStored(String)
}

extension SyncReport {
  /// How many bad features a sentence names before it only counts.
  private static let namedFeatures = 3

  /// The sentence that says what went wrong, if anything did.
  var trouble: String? {
    switch self {
    case .synced(_, let fetched, let rejected): Self.sentence(about: rejected, of: fetched)
    case .notModified(let features, let rejected):
      Self.sentence(about: rejected, of: features + rejected.count)
    case .failed(let error): "\(error) The store keeps what it had."
    case .notStored(let words): "The feed could not be stored: \(words) The store keeps what it had."
    }
  }

  private static func sentence(about rejected: [RejectedFeature], of fetched: Int) -> String? {
    guard !rejected.isEmpty else { return nil }
    let named = rejected.prefix(namedFeatures).map { "\($0.name) (\($0.reason))" }.joined(separator: ", ")
    let more = rejected.count - namedFeatures
    let others = more > 0 ? " and \(more.formattedForPeople) more" : ""
    let were = rejected.count == 1 ? "was" : "were"
    let counts = "\(rejected.count.formattedForPeople) of \(fetched.formattedForPeople) records"
    return "\(counts) \(were) left out: \(named)\(others)."
  }
}
