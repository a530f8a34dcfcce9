import Foundation
import Larder

// One string of a JSON document that comes in many small chunks: each byte is looked at a few times, however long it is.

/// A record with a long text.
@JSONReadable
struct LongRecord: Decodable, Sendable {
  let text: String
}

extension Suite {
  /// Bytes of the string, from the shorter to the longer, eight times as long.
  private static let stringSizes = [1 << 20, 8 << 20]
  private static let chunkSize = 1_024

  /// In small chunks, beside the same in one.
  func strings() async throws {
    for size in Self.stringSizes {
      let text = Data(#"[{"text":""#.utf8) + Data(repeating: UInt8(ascii: "x"), count: size) + Data(#""}]"#.utf8)
      func read(_ chunks: [Data]) async throws -> Int {
        let stream = AsyncStream { continuation in
          for chunk in chunks { continuation.yield(chunk) }
          continuation.finish()
        }
        var bytes = 0
        for try await record in JSONElementSequence(of: LongRecord.self, at: .topLevel, in: stream) {
          bytes += record.text.utf8.count
        }
        return bytes
      }
      let parts = stride(from: 0, to: text.count, by: Self.chunkSize).map { start in
        text[start..<min(start + Self.chunkSize, text.count)]
      }
      var lengths = (0, 0)
      try await measure(Self.stringName(size), budget: nil, rows: size) {
        lengths.0 = try await read([text])
      } ours: {
        lengths.1 = try await read(parts)
      }
      try require(lengths == (size, size), "the string comes whole")
    }
  }

  private static func stringName(_ size: Int) -> String { "JSON: a string of \(size >> 20) MiB in chunks of 1 KiB" }

  /// From the shorter to the longer.
  func stringGrowth() -> Growth? {
    guard let shortest = Self.stringSizes.min(), let longest = Self.stringSizes.max() else { return nil }
    return Growth(
      "JSON: a string in chunks of 1 KiB", from: Self.stringName(shortest), to: Self.stringName(longest),
      budget: Budget.pendingGrowth, in: measurements)
  }
}
