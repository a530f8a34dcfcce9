import CLimits
import Foundation

/// The feed's own text, with as many features as there are records: each a real one with a code of its own.
final class FeedText {
  /// What the document is, and room behind it, as simdjson wants it.
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  let count: Int

  private static let beginning = #"{"type":"Feature","#
  private static let code = #""code":""#

  init(feed url: URL, records: Int) throws {
    // Taken apart as text, so that its fields stay in the order in which the feed has them.
    let features = try String(contentsOf: url, encoding: .utf8).components(separatedBy: FeedText.beginning).dropFirst()
    let parts = try features.map { feature in
      // The last field of each.
      guard let id = feature.range(of: #","id":""#, options: .backwards),
        let end = feature.range(of: #""}"#, range: id.upperBound..<feature.endIndex),
        let code = feature.range(of: FeedText.code),
        let quote = feature.range(of: "\"", range: code.upperBound..<end.upperBound)
      else { throw LimitError(description: "The feed has a feature without a code.") }
      return (
        Array((FeedText.beginning + feature[..<quote.lowerBound]).utf8),
        Array(feature[quote.lowerBound..<end.upperBound].utf8)
      )
    }
    var text = Array(#"{"type":"FeatureCollection","metadata":{"count":\#(records)},"features":["#.utf8)
    for index in 0..<records {
      let (before, after) = parts[index % parts.count]
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text += before
      text += ".\(index / parts.count)".utf8
      text += after
    }
    text += Array("]}".utf8)
    count = text.count
    bytes = .allocate(capacity: count + limit_json_padding())
    bytes.initialize(repeating: 0)
    _ = bytes.update(from: text)
  }

  /// A feed that is there, whole.
  init(contentsOf url: URL) throws {
    let text = try Data(contentsOf: url, options: .alwaysMapped)
    count = text.count
    bytes = .allocate(capacity: count + limit_json_padding())
    bytes.initialize(repeating: 0)
    _ = bytes.update(from: text)
  }

  deinit { bytes.deallocate() }

  /// As a network has brought it, whole.
  var data: Data { Data(buffer: UnsafeBufferPointer(rebasing: bytes[0..<count])) }

  func limit(_ limit: Limit) throws -> Int { try limit.ingest(UnsafePointer(bytes.baseAddress), count) }

  /// As a network brings it.
  var chunks: Chunks { Chunks(text: self) }

  struct Chunks: AsyncSequence, Sendable {
    nonisolated(unsafe) fileprivate let text: FeedText  // Not changed once it is made.
    static let size = 64 << 10

    struct Iterator: AsyncIteratorProtocol {
      fileprivate let text: FeedText
      private var place = 0

      fileprivate init(text: FeedText) { self.text = text }

      mutating func next() async -> UnsafeBufferPointer<UInt8>? {
        if place == text.count { return nil }
        let end = Swift.min(place + Chunks.size, text.count)
        defer { place = end }
        return UnsafeBufferPointer(rebasing: text.bytes[place..<end])
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(text: text) }
  }
}
