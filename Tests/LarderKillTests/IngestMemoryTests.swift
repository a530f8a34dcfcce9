import DurabilityWork
import Foundation
import IngestWork
import Testing

#if os(Linux)
  /// However long a feed is, some megabytes of it are in memory.
  @Suite struct IngestMemoryTests {
    /// The whole, of which `LARDER_SIZE` says the percentage: a feed of 700 megabytes.
    private static let whole = 1_000_000
    private static let least = 50_000
    /// 64 MiB above what the process has before.
    private static let limit = 64 << 20

    @Test func aFeedIsNeverInMemoryAsAWhole() throws {
      try expectRoom { _ in [] }
    }

    @Test func neitherIsOneThatAServerSends() throws {
      try expectRoom { [try FeedServer(Feed(version: 1, count: $0, padding: 650)).url.absoluteString] }
    }

    private func expectRoom(server: (Int) throws -> [String]) throws {
      let folder = try WorkFolder()
      let count = Share.rounds(of: Self.whole, atLeast: Self.least)
      let process = try ChildProcess(
        "IngestVictim", [folder.path("test.store"), "\(count)"] + server(count), output: folder.file("printed"))
      #expect(process.wait() == .exit(0))
      let numbers = process.printed.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      try #require(numbers.count == 2, "\(process.printed)")
      print("\(numbers[0]) elements, \(numbers[1] >> 10) KiB above start")
      #expect(numbers[0] == count && numbers[1] <= Self.limit)
    }
  }
#endif
