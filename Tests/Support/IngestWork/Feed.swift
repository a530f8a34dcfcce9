import Foundation
import LarderData
package import LarderIngest
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
    let elements = JSONElements(of: FeedRecord.self, at: "items[*]", in: Chunks(feed: self))
    return try await container.ingest(elements, into: FeedItem.self, by: \.number, author: "version \(version)") {
      item in
      item.set(\.number) { $0.number }
      item.set(\.version) { $0.version }
    }
  }

  private struct Chunks: AsyncSequence, Sendable {
    let feed: Feed

    func makeAsyncIterator() -> Iterator { Iterator(feed: feed) }

    struct Iterator: AsyncIteratorProtocol {
      let feed: Feed
      var number = 0
      var hasEnded = false

      mutating func next() async -> [UInt8]? {
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
  }
}

extension Feed {
  package static func open(_ path: String) throws -> ModelContainer {
    try ModelContainer(for: FeedItem.self, configurations: ModelConfiguration(url: URL(filePath: path)))
  }
}
