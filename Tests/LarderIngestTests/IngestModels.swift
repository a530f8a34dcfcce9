import Foundation
import LarderIngest
import LarderRecords
import SwiftData

/// A model of a feed's records.
@Model
final class Sighting {
  @Attribute(.unique) var code: String
  var count: Int
  var note: String?

  init(code: String, count: Int) {
    self.code = code
    self.count = count
  }
}

/// What the feed says of one.
@JSONReadable
struct SightingRecord: Decodable, Sendable {
  let code: String
  let count: Int
  var note: String?
}

extension UpsertMapping where Model == Sighting, Record == SightingRecord {
  mutating func everything() {
    set(\.code) { $0.code }
    set(\.count) { $0.count }
    set(\.note) { $0.note }
  }
}

/// A feed's text.
enum Feed {
  static func element(_ number: Int, note: String = "as ever") -> String {
    #"{"code":"S\#(number)","unread":[{"a":[1,2,{"b":null}]}],"count":\#(number),"note":"\#(note)"}"#
  }

  static func document(_ elements: some Sequence<String>) -> String {
    #"{"type":"sightings","items":["# + elements.joined(separator: ",\n ") + #"],"next":null}"#
  }

  static func document(_ numbers: Range<Int>, note: String = "as ever") -> String {
    document(numbers.map { element($0, note: note) })
  }
}

/// Bytes in chunks of some size, as a network brings them.
struct Chunks: AsyncSequence, Sendable {
  struct Cut: Error {}

  let bytes: [UInt8]
  var size = 1_000
  /// Where the connection ends, if it does before all has come.
  var cut: Int?
  /// Called before each chunk.
  var before: @Sendable (_ place: Int) async throws -> Void = { _ in }

  init(_ text: String, size: Int = 1_000) {
    bytes = Array(text.utf8)
    self.size = size
  }

  func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

  struct Iterator: AsyncIteratorProtocol {
    let chunks: Chunks
    var place = 0

    mutating func next() async throws -> ArraySlice<UInt8>? {
      try await chunks.before(place)
      if let cut = chunks.cut, place >= cut { throw Cut() }
      guard place < chunks.bytes.count else { return nil }
      let end = Swift.min(place + chunks.size, chunks.bytes.count)
      defer { place = end }
      return chunks.bytes[place..<end]
    }
  }
}
