package import Foundation
import LarderData
import LarderHTTP
import LarderIngest
import LarderRecords
package import SwiftData

/// A model of which a feed tells, element by element.
@Model
package final class FeedItem {
  @Attribute(.unique) package var number: Int
  package var version: Int

  package init(number: Int, version: Int) {
    self.number = number
    self.version = version
  }
}

@JSONReadable
struct FeedRecord: Sendable {
  let number: Int
  let version: Int
}

/// A feed that is another one in each version: two of three elements change, the third is as it was in the first.
package struct Feed: Sendable {
  package let version: Int
  package let count: Int
  /// How long a string each element has that nobody reads.
  private let padding: String

  package init(version: Int, count: Int, padding: Int = 0) {
    self.version = version
    self.count = count
    self.padding = String(repeating: "-", count: padding)
  }

  /// What the version says of an element.
  package func version(of number: Int) -> Int { number % 3 == 0 ? 1 : version }

  /// How many rows are written where so many of the elements are, over the version before.
  package func writes(of first: Int) -> Int { version == 1 ? first : first - (first + 2) / 3 }

  /// Brings the store up to the version.
  package func ingest(into container: ModelContainer) async throws -> UpsertReport {
    try await ingest(Awaited(pieces: Pieces(feed: self)), into: container)
  }

  /// Brings the store up to the version, as a server that has the feed sends it.
  package func ingest(from server: URL, into container: ModelContainer) async throws -> UpsertReport {
    let response = try await HTTPClient(baseURL: server).stream(.get("/feed"))
    return try await ingest(response.body, into: container)
  }

  private func ingest<Chunks: AsyncSequence>(_ chunks: Chunks, into container: ModelContainer) async throws
    -> UpsertReport
  where Chunks.Element: Sequence<UInt8> {
    let elements = JSONElementSequence(of: FeedRecord.self, at: "items[*]", in: chunks)
    return try await container.ingest(elements, into: FeedItem.self, by: \.number, author: "version \(version)") {
      item in
      item.set(\.number) { $0.number }
      item.set(\.version) { $0.version }
    }
  }

  /// Its text, some hundred elements at a time, made as it is asked for.
  package struct Pieces: Sequence, IteratorProtocol, Sendable {
    let feed: Feed
    private var number = 0
    private var hasEnded = false

    package init(feed: Feed) { self.feed = feed }

    package mutating func next() -> [UInt8]? {
      if hasEnded { return nil }
      var text = number == 0 ? #"{"items":["# : ""
      let end = Swift.min(number + 500, feed.count)
      for number in number..<end {
        text += number == 0 ? "{" : ",{"
        if !feed.padding.isEmpty { text += #""padding":"\#(feed.padding)","# }
        text += #""number":\#(number),"version":\#(feed.version(of: number))}"#
      }
      number = end
      if end == feed.count {
        text += "]}"
        hasEnded = true
      }
      return Array(text.utf8)
    }
  }

  /// The same for those who await it.
  private struct Awaited: AsyncSequence, AsyncIteratorProtocol, Sendable {
    var pieces: Pieces
    mutating func next() async -> [UInt8]? { pieces.next() }
    func makeAsyncIterator() -> Awaited { self }
  }
}

extension Feed {
  package static func open(_ path: String) throws -> ModelContainer {
    try ModelContainer(for: FeedItem.self, configurations: ModelConfiguration(url: URL(filePath: path)))
  }
}
