import DurabilityWork
import Foundation
import IngestWork
import LarderSQLite
import LarderSupport
import LarderTesting
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

    @Test func norIsOneThatAServerSends() throws {
      try expectRoom { count in
        // The length is unknown, so the end of the connection is the end of the feed.
        let server = try ScriptedServer { _ in
          let pieces = Locked(Feed.Pieces(feed: Feed(version: 1, count: count, padding: 650)))
          return [
            .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"),
            .sendEach { pieces.withLock { $0.next() }.map { Data($0) } },
          ]
        }
        return [server.url().absoluteString]
      }
    }

    /// - Parameter server: What the process is told besides, for a feed of so many elements.
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
