import Foundation

/// What came of a round trip.
struct RoundTripOutcome: Sendable {
  /// How many trips there are after the first sync.
  var synced: Int
  /// How many rows the second sync wrote.
  var again: Int
  /// The edited trip's name, as it is kept.
  var edited: String
  /// What the user reads for each way to fail, in their order.
  var failures: [(kind: String, words: String)]
  /// The edited trip's name, as a second process saw it.
  var readerSaw: String
  var store: String

  /// One line of JSON, its members in the order promised.
  var line: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.withoutEscapingSlashes]
      func json(_ text: String) throws -> String { String(decoding: try encoder.encode(text), as: UTF8.self) }
      let failures = try failures.map { "\(try json($0.kind)):\(try json($0.words))" }.joined(separator: ",")
      return """
        {"synced":\(synced),"again":{"written":\(again)},"edited":\(try json(edited)),"failures":{\(failures)},\
        "shared":{"reader_saw":\(try json(readerSaw))},"store":\(try json(store))}
        """
    }
  }
}
