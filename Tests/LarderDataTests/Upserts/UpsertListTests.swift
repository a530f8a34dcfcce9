import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Lists of pairs that records give by the keys of their members.
@Suite(.directly("a bulk upsert is of SQLite stores")) struct UpsertListTests {
  private struct Labelled: Sendable {
    var code: String
    var weight = 1.0
    var labels: [String]
  }

  private func store(_ place: StoreLocation) throws -> TestStore {
    try TestStore(place, Bale.self, Lorry.self, Sticker.self, Walker.self)
  }

  private func upsert(_ records: [Labelled], _ store: TestStore) throws -> UpsertReport {
    try store.container.upsert(records, into: Bale.self, by: \.code, author: "feed") { bale in
      bale.set(\.code) { $0.code }
      bale.set(\.weight) { $0.weight }
      bale.relate(\.labels, by: \.text) { $0.labels }
    }
  }

  private func counts(_ report: UpsertReport) -> [Int] {
    [report.inserted, report.updated, report.unchanged, report.failed]
  }

  private func lists(_ store: TestStore) throws -> [[String]] {
    try store.context().fetch(FetchDescriptor<Bale>(sortBy: [SortDescriptor(\.code)])).map { $0.labels.map(\.text) }
  }

  private func others(_ store: TestStore) throws -> [[String]] {
    try store.context().fetch(FetchDescriptor<Sticker>(sortBy: [SortDescriptor(\.text)])).map { $0.goods.map(\.code) }
  }

  @Test(arguments: StoreLocation.allCases)
  func listsAreGivenByKeys(_ place: StoreLocation) throws {
    let store = try store(place)
    _ = try store.saved(["a", "b", "c"].map { Sticker($0) })
    var records = [
      Labelled(code: "P1", labels: ["b", "a", "b"]), Labelled(code: "P2", labels: []),
      Labelled(code: "P3", labels: ["c"]),
    ]
    #expect(counts(try upsert(records, store)) == [3, 0, 0, 0])
    #expect(try lists(store) == [["b", "a"], [], ["c"]])
    #expect(try others(store) == [["P1"], ["P1"], ["P3"]])
    // In another order, more, fewer; and one whose row changes, too.
    records[0].labels = ["a", "c", "b"]
    records[1].labels = ["b"]
    records[2].labels = []
    records[2].weight = 3
    #expect(counts(try upsert(records, store)) == [0, 3, 0, 0])
    #expect(try lists(store) == [["a", "c", "b"], ["b"], []])
    // What is new at the other end comes last there.
    #expect(try others(store) == [["P1"], ["P1", "P2"], ["P1"]])
    #expect(try store.value("SELECT count(*) FROM pragma_foreign_key_check") == .integer(0))
    #expect(counts(try upsert(records, store)) == [0, 0, 3, 0])
    // Of two records with one key the later one holds.
    #expect(
      counts(try upsert([Labelled(code: "P9", labels: ["a"]), Labelled(code: "P9", labels: ["c"])], store)) == [
        1, 1, 0, 0,
      ])
    #expect(try lists(store).last == ["c"])
  }

  @Test(arguments: StoreLocation.allCases)
  func whatIsNotThereKeepsTheRecordOut(_ place: StoreLocation) throws {
    let store = try store(place)
    _ = try store.saved([Sticker("a")])
    _ = try upsert([Labelled(code: "P1", labels: ["a"])], store)
    let report = try upsert(
      [Labelled(code: "P1", weight: 9, labels: ["nobody's"]), Labelled(code: "P2", labels: ["a", "nobody's"])], store)
    #expect(counts(report) == [0, 0, 0, 2])
    let error = report.firstFailures.first?.error as? SaveError
    #expect(error?.code == .unstorableValue && error?.properties == ["labels"])
    #expect(error?.explanation.contains("nobody's") == false)
    #expect(try lists(store) == [["a"]])
    #expect(try store.context().fetch(FetchDescriptor<Bale>()).map(\.weight) == [1])
  }

  /// Both ends, each once, with the properties that changed; a list that is as it was is told to nobody.
  @Test(arguments: StoreLocation.allCases)
  func bothEndsAreTold(_ place: StoreLocation) throws {
    let store = try store(place)
    _ = try store.saved(["a", "b", "c"].map { Sticker($0) })
    _ = try upsert([Labelled(code: "P1", labels: ["a"]), Labelled(code: "P2", labels: ["b"])], store)
    // Others hold the lists, from both ends.
    let context = store.context()
    let bales = try context.fetch(FetchDescriptor<Bale>(sortBy: [SortDescriptor(\.code)]))
    let stickers = try context.fetch(FetchDescriptor<Sticker>(sortBy: [SortDescriptor(\.text)]))
    #expect(bales.map { $0.labels.map(\.text) } == [["a"], ["b"]])
    #expect(stickers.map { $0.goods.map(\.code) } == [["P1"], ["P2"], []])
    let before = try #require(try context.history().last).token

    #expect(
      counts(try upsert([Labelled(code: "P1", labels: ["c", "a"]), Labelled(code: "P2", labels: ["b"])], store)) == [
        0, 1, 1, 0,
      ])
    let transactions = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > before }))
    let changes = transactions.flatMap(\.changes)
    #expect(transactions.count == 1 && transactions.first?.author == "feed" && changes.count == 2)
    #expect(
      Set(changes.map(\.changedPersistentIdentifier))
        == [bales[0].persistentModelID, stickers[2].persistentModelID])
    _ = try context.fetchCount(FetchDescriptor<Bale>())
    #expect(bales.map { $0.labels.map(\.text) } == [["c", "a"], ["b"]])
    #expect(stickers.map { $0.goods.map(\.code) } == [["P1"], ["P2"], ["P1"]])

    let count = try context.history().count
    _ = try upsert([Labelled(code: "P1", labels: ["c", "a"]), Labelled(code: "P2", labels: ["b"])], store)
    #expect(try context.history().count == count)
  }

  /// What others have pending meets it as it would meet a save that says the same.
  @Test(
    arguments: [MergePolicy.error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite],
    [["a", "c"], [], ["c"]])
  func itIsToOthersWhatASaveIs(_ policy: MergePolicy, _ labels: [String]) throws {
    var outcomes: [[String]] = []
    for isUpsert in [true, false] {
      let store = try store(.disk)
      _ = try store.saved(["a", "b", "c"].map { Sticker($0) })
      _ = try upsert([Labelled(code: "P1", labels: ["a"])], store)
      let context = store.context()
      context.mergePolicy = policy
      let bale = try #require(try context.fetch(FetchDescriptor<Bale>()).first)
      let own = try #require(
        try context.fetch(FetchDescriptor<Sticker>(predicate: #Predicate { $0.text == "b" })).first)
      bale.labels.append(own)
      if isUpsert {
        #expect(counts(try upsert([Labelled(code: "P1", labels: labels)], store)) == [0, 1, 0, 0])
      } else {
        let other = store.context()
        let stickers = try other.fetch(FetchDescriptor<Sticker>())
        try other.fetch(FetchDescriptor<Bale>()).first?.labels = labels.compactMap { text in
          stickers.first { $0.text == text }
        }
        try other.save()
      }
      var outcome: [String] = []
      do {
        try context.save()
      } catch let error as SaveError {
        outcome.append("\(error.code)")
        context.rollback()
      }
      outcomes.append(outcome + bale.labels.map(\.text) + ["stored"] + (try lists(store)[0]))
    }
    #expect(outcomes[0] == outcomes[1])
  }

  /// A class at both ends: who follows whom.
  @Test(arguments: StoreLocation.allCases)
  func aClassMayBeAtBothEnds(_ place: StoreLocation) throws {
    let store = try store(place)
    struct Person: Sendable {
      var name: String
      var follows: [String]
    }
    func upsert(_ people: [Person]) throws -> UpsertReport {
      try store.container.upsert(people, into: Walker.self, by: \.name) { walker in
        walker.set(\.name) { $0.name }
        walker.relate(\.follows, by: \.name) { $0.follows }
      }
    }
    #expect(counts(try upsert([Person(name: "a", follows: []), Person(name: "b", follows: ["a"])])) == [2, 0, 0, 0])
    #expect(
      counts(try upsert([Person(name: "a", follows: ["b", "a"]), Person(name: "b", follows: ["a"])])) == [0, 1, 1, 0])
    let walkers = try store.context().fetch(FetchDescriptor<Walker>(sortBy: [SortDescriptor(\.name)]))
    #expect(walkers.map { $0.follows.map(\.name) } == [["b", "a"], ["a"]])
    #expect(walkers.map { Set($0.followers.map(\.name)) } == [["a", "b"], ["a"]])
  }

  @Test func whatCannotBeAList() throws {
    let store = try store(.disk)
    func refused(_ define: @escaping (inout UpsertMapping<Lorry, Labelled>) -> Void) -> String {
      let error = #expect(throws: SwiftDataError.self) {
        try store.container.upsert([Labelled](), into: Lorry.self, by: \.plate) { lorry in
          lorry.set(\.plate) { $0.code }
          lorry.set(\.driver) { _ in "" }
          define(&lorry)
        }
      }
      return "\(error.map { "\($0)" } ?? "")"
    }
    #expect(
      refused { $0.relate(\.goods, by: \.code) { $0.labels } }.contains(
        "Lorry.goods cannot be upserted: it is no to-many relationship whose other end is to-many or none"))
  }
}

@Model
final class Walker {
  @Attribute(.unique) var name: String
  var follows: [Walker] = []
  @Relationship(inverse: \Walker.follows) var followers: [Walker] = []

  init(name: String) { self.name = name }
}
