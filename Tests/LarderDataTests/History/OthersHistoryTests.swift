import Foundation
import LarderSQLite
import SwiftData
import Testing

@testable import LarderData

/// What the history says of other processes' transactions, and what of it reaches whom.
@Suite(.directly("other processes open SQLite's files")) struct OthersHistoryTests {
  /// A transaction of another process, as its history has it.
  private func save(_ store: TestStore, _ number: Int, _ changes: String) throws {
    let connection = try Connection(path: store.url.path)
    defer { connection.close() }
    try connection.execute(
      "INSERT INTO larder_history VALUES (\(number), 0, NULL, 'another', '1', \(number * 100), '\(changes)')")
  }

  /// Who follows the history is told; a context that has none of the models need not keep it.
  @Test func transactionsOfUnknownModelsDoNotPileUp() async throws {
    let store = try TestStore(.disk, Crate.self)
    let idle = try store.saved([Crate(number: 1)])
    let observer = try HistoryObserver(modelContainer: store.container)
    for number in 2...6 {
      try save(store, number, #"{"Unknown":{"inserted":[\#(number)]}}"#)
      #expect(try store.context().fetchCount(FetchDescriptor<Crate>()) == 1)
    }
    await withCheckedContinuation { done in
      LiveQueryExecutor.shared(for: store.container.core).run { _ in done.resume() }
    }
    #expect(observer.eventCounter == 5)
    #expect(!idle.core.remoteChanges.hasChanges)
    // One of a model that it has is kept until it looks.
    try save(store, 7, #"{"Crate":{"updated":[{"properties":["number"],"rows":[1]}]}}"#)
    #expect(try store.context().fetchCount(FetchDescriptor<Crate>()) == 1)
    #expect(idle.core.remoteChanges.hasChanges)
  }

  /// Nobody makes room for rows that are not listed in the end.
  @Test(arguments: [50_000, 50_001])
  func moreRowsThanAreListedAreEverything(_ rows: Int) throws {
    let store = try TestStore(.disk, Crate.self)
    try save(store, 1, #"{"Crate":{"inserted":[1,-\#(rows / 2 - 1)],"deleted":[1000000,-\#(rows - rows / 2 - 1)]}}"#)
    let news = try store.container.store.database.read { connection in
      try ExternalChangeReader(store.container.store, connection).changes(after: 0, to: 1, excluding: [])
    }
    switch news {
    case .nothing: Issue.record("nothing")
    case .known(let changes):
      #expect(rows == 50_000)
      #expect(changes.flatMap(\.entities).map { $0.inserted.count + $0.deleted.count } == [50_000])
    case .unknown: #expect(rows == 50_001)
    }
  }

  /// A transaction may say of very many rows that they changed.
  @Test func changesAreMadeWhenSomebodyAsks() throws {
    let store = try TestStore(.disk, Crate.self)
    try save(store, 1, #"{"Crate":{"inserted":[1,-2000]},"Unknown":{"inserted":[1]}}"#)
    let observer = try HistoryObserver(
      historyTokens: [:], observedModels: [Crate.self], modelContainer: store.container)
    #expect(observer.eventCounter == 1)
    let transaction = try #require(try store.context().history().first)
    #expect(!transaction.contents.isExpanded)
    #expect(transaction.changes.count == 2_001)
    #expect(transaction.contents.isExpanded)
  }
}
