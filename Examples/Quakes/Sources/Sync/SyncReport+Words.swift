import Foundation

extension SyncReport {
  /// A line about the round.
  var words: String {
    switch self {
    case .synced(let counts, let fetched, _):
      "\(fetched.formattedForPeople) fetched, \(counts)" + (trouble.map { "\n  \($0)" } ?? "")
    case .notModified: "not modified, no row was read" + (trouble.map { "\n  \($0)" } ?? "")
    case .failed, .notStored: trouble ?? ""
    }
  }
}
