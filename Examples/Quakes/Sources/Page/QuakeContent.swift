import Foundation

/// An earthquake as the page shows it: a value, so that it may leave the store's context.
struct QuakeRow: Hashable, Sendable {
  var code: String
  var magnitude: Double
  var time: Date
  var place: String
  var longitude: Double
  var latitude: Double
}

/// What the store has for a query.
struct QuakeContent: Sendable {
  /// The earthquakes that match, in the order asked for.
  var matching: [QuakeRow]
  /// How many the store has in all.
  var total: Int
  /// The strongest of all.
  var largest: QuakeRow?
  /// The time of the newest of all.
  var newest: Date?
}

/// Whoever can say what the store has.
protocol QuakeReading: Sendable {
  /// How many earthquakes there are.
  func count() throws -> Int
  /// What matches, in its order.
  func content(for query: PageQuery) throws -> QuakeContent
}
