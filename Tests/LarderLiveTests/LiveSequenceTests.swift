import Foundation
import LarderData
import Patience
import SwiftData
import TestSeeds
import Testing

@MainActor
@Suite struct LiveSequenceTests {
  @Test(arguments: Storage.allCases)
  func resultsFollowCommits(_ storage: Storage) async throws {
    let docks = try Docks(storage)
    var iterator = docks.container.mainContext.liveResults(ships()).makeAsyncIterator()
    #expect(try await iterator.next(isolation: MainActor.shared)?.map(\.name) == [])
    try docks.elsewhere { $0.insert(Ship("a")) }
    #expect(try await iterator.next(isolation: MainActor.shared)?.map(\.name) == ["a"])
    // A property that the query does not read is part of what is shown.
    try docks.elsewhere { try $0.fetch(ships()).first?.notes = "new" }
    #expect(try await iterator.next(isolation: MainActor.shared)?.map(\.notes) == ["new"])
    docks.container.mainContext.insert(Ship("b"))
    #expect(try await iterator.next(isolation: MainActor.shared)?.map(\.name) == ["a", "b"])
  }

  /// Who is slow sees the last of what came, once.
  @Test func updatesCoalesce() async throws {
    let docks = try Docks()
    var iterator = docks.container.mainContext.liveChanges(ships()).makeAsyncIterator()
    #expect(try await iterator.next(isolation: MainActor.shared)?.results.isEmpty == true)
    for number in 0..<20 { try docks.elsewhere { $0.insert(Ship("s\(number + 10)")) } }
    var seen = 0
    var changes = 0
    while seen < 20 {
      let change = try #require(try await iterator.next(isolation: MainActor.shared))
      #expect(change.difference.insertions.count == change.results.count - seen)
      seen = change.results.count
      changes += 1
    }
    #expect(changes <= 3, "\(changes) changes")
  }

  @Test func changesSayWhatChanged() async throws {
    let docks = try Docks()
    try docks.elsewhere { context in for name in ["a", "b", "c"] { context.insert(Ship(name)) } }
    let context = docks.container.mainContext
    var iterator = context.liveChanges(ships()).makeAsyncIterator()
    var before = [PersistentIdentifier]()
    func next() async throws -> ResultsChange<Ship> {
      let change = try #require(try await iterator.next(isolation: MainActor.shared))
      let after = change.results.map(\.persistentModelID)
      #expect(before.applying(change.difference) == after)
      before = after
      return change
    }
    #expect(try await next().difference.insertions.count == 3)
    try docks.elsewhere { try $0.fetch(ships()).first?.name = "d" }
    var change = try await next()
    #expect(change.difference.count == 2 && change.updated == [change.results[2].persistentModelID])
    #expect(change.difference.inferringMoves().count == 2)
    try docks.elsewhere { context in
      try context.fetch(ships())[1].notes = "x"
      try context.delete(context.fetch(ships())[0])
      context.insert(Ship("e"))
    }
    change = try await next()
    #expect(change.results.map(\.name) == ["c", "d", "e"])
    #expect(change.difference.insertions.count == 1 && change.difference.removals.count == 1)
    #expect(change.updated == [change.results[0].persistentModelID])
  }

  @Test func cancellingEndsIt() async throws {
    let docks = try Docks()
    let container = docks.container
    let task = Task { @MainActor in
      var count = 0
      for try await _ in container.mainContext.liveResults(ships()) { count += 1 }
      return count
    }
    try await until("the beginning") { !docks.watches.isEmpty }
    task.cancel()
    #expect(try await task.value == 1)
    #expect(docks.watches.isEmpty)
  }

  @Test func failuresEndIt() async throws {
    let docks = try Docks()
    let context = docks.container.mainContext
    var iterator = context.liveResults(ships(#Predicate { 8 / $0.tonnage > 0 })).makeAsyncIterator()
    _ = try await iterator.next(isolation: MainActor.shared)
    try docks.elsewhere { $0.insert(Ship("a", tonnage: 0)) }
    await #expect(throws: FetchError.self) { _ = try await iterator.next(isolation: MainActor.shared) }
  }
}

@Suite struct ListDifferenceTests {
  /// As few changes as the library's own finds for lists of anything, and they make the one list of the other.
  @Test func randomLists() {
    var random = Share.generator
    for _ in 0..<2_000 {
      let all = (0..<Int64.random(in: 1...12, using: &random)).map { $0 }
      func some() -> [Int64] { all.shuffled(using: &random).filter { _ in Int.random(in: 0..<4, using: &random) > 0 } }
      let (former, present) = (some(), some())
      let difference = ListDifference(from: former, to: present).collectionDifference { $0 }
      #expect(former.applying(difference) == present, "LARDER_SEED=\(random.seed)")
      #expect(difference.count == present.difference(from: former).count, "LARDER_SEED=\(random.seed)")
    }
  }
}
