import Foundation

/// The view model: everything that the templates need, and nothing else.
struct PageModel: Sendable {
  var query: PageQuery
  var content: QuakeContent
  var status: SyncStatus
  /// Whether the feed is the recorded week.
  var isReplayed: Bool
  /// Whether the origin can be stopped and started from the page.
  var canControlOrigin: Bool
  /// When the page is drawn.
  var now: Date

  /// The rows that the table shows.
  var rows: ArraySlice<QuakeRow> { content.matching.prefix(query.rows) }

  /// The week that the page is about ends with the newest earthquake, as a replayed one is long past.
  var end: Date { content.newest ?? now }

  /// How long before the end of the week something was.
  func age(of date: Date) -> Age {
    switch end.timeIntervalSince(date) {
    case ..<(6 * 3600): .hours
    case ..<(24 * 3600): .day
    case ..<(3 * 24 * 3600): .days
    default: .week
    }
  }

  enum Age: String, CaseIterable, Sendable {
    case hours, day, days, week

    var words: String {
      switch self {
      case .hours: "6 hours"
      case .day: "a day"
      case .days: "3 days"
      case .week: "older"
      }
    }
  }
}
