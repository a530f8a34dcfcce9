import LarderHTTP
import SwiftData

/// Which state of the feed the store has.
struct FeedState: Codable, Hashable, Sendable {
  /// What the origin knows it by.
  var validators: Validators
  /// How far the store's history was when it was stored: it says which store that is, and that nothing was written since.
  var stored: DefaultHistoryToken
  /// How many of its features were good.
  var features: Int
  /// The others: as long as the feed stays, they are still left out.
  var rejected: [RejectedFeature]
}
