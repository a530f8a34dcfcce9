import Foundation
import LarderData
import LarderIngest
import LarderRecords
import LarderSQLite
import LarderSupport
import SwiftData
import Testing

/// Others who write while a feed is taken in.
@Suite struct IngestBesideOthersTests {
  /// A commit: whose it is, and how many waited for its end as it came to it.
  private struct Commit {
    let author: String?
    let waiting: Int
  }

  /// Runs inside each transaction.
  private final class Hook: TransactionObserver {
    let stage = CommitStage.followers
    private let body: @Sendable (ChangeSet) -> Void

    init(_ body: @escaping @Sendable (ChangeSet) -> Void) { self.body = body }

    func willCommit(_ changes: ChangeSet, on connection: Connection) { body(changes) }
    func didCommit(_ changes: ChangeSet) {}
    func didCommitUnknownChanges() {}
  }

  /// The main context waits for the batch that is under way, and for no other.
  @MainActor
  @Test(.timeLimit(.minutes(15))) func aSaveWaitsForOneBatch() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "larder-beside-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    // Of a store in memory those wait, too, who read.
    let configuration = ModelConfiguration(url: folder.appending(path: "sightings.store"))
    let container = try ModelContainer(for: Sighting.self, configurations: configuration)
    let store = try #require(container.core.stores.first?.sqlite)
    let commits = Locked<[Commit]>([])
    let isOver = Locked(false)
    defer { isOver.withLock { $0 = true } }
    // Inside each transaction, when all of it is written. A batch stays there until somebody waits for its end: left to
    // chance, a thousand saves can fall between two batches of a feed whose task has no turn on a busy machine.
    let hook = Hook { changes in
      while changes.author == "feed", store.database.waitingWriterCount == 0, !isOver.withLock({ $0 }) { usleep(200) }
      let waiting = store.database.waitingWriterCount
      commits.withLock { $0.append(Commit(author: changes.author, waiting: waiting)) }
    }
    store.observers.add(hook)
    defer { store.observers.remove(hook) }

    let context = container.mainContext
    context.author = "view"
    // Edited and not inserted: numbers for new rows are set apart by a transaction of their own, which also has its turn.
    let own = Sighting(code: "own", count: 0)
    context.insert(own)
    try context.save()
    commits.withLock { $0 = [] }

    let feed = Task.detached {
      var round = 0
      while !isOver.withLock({ $0 }) {
        let chunks = Chunks(Feed.document(0..<5_000, note: "round \(round)"), size: 100_000)
        let elements = JSONElementSequence(of: SightingRecord.self, at: "items[*]", in: chunks)
        _ = try await container.ingest(elements, into: Sighting.self, by: \.code, author: "feed") { $0.everything() }
        round += 1
      }
    }
    var saves = 0
    while Self.waitedFor(commits.withLock { $0 }) < 10 {
      saves += 1
      own.count = saves
      try context.save()
      // Turns of the main actor are what everything else of a program is done in.
      try await Task.sleep(for: .milliseconds(2))
    }
    isOver.withLock { $0 = true }
    try await feed.value

    let all = commits.withLock { $0 }
    #expect(all.filter { $0.author == "view" }.count == saves)
    for (commit, next) in zip(all, all.dropFirst()) where commit.author == "feed" && commit.waiting > 0 {
      #expect(next.author == "view")
    }
    #expect(try context.fetchCount(FetchDescriptor<Sighting>()) == 5_001)
  }

  /// The batches whose end somebody waited for.
  private static func waitedFor(_ commits: [Commit]) -> Int {
    commits.count { $0.author == "feed" && $0.waiting > 0 }
  }
}
