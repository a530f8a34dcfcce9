import Foundation
import LarderData
import LarderSQLite
import SwiftData
import TestSeeds
import Testing

/// Rows that are deleted together: those with numbers one after the other go by one statement.
@Suite struct DeletedRunTests {
  /// Crates of which each has its number as that of its row, from 1.
  private func filled(_ place: StoreLocation, _ count: Int) throws -> TestStore {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    for number in 1...count { context.insert(Crate(number: number)) }
    try context.save()
    try #require(try store.rows("SELECT count(*) FROM Crate WHERE number <> larder_id") == [[.integer(0)]])
    return store
  }

  /// Deletes crates, and says which of them a save then told of.
  private func delete(_ numbers: some Sequence<Int>, _ store: TestStore, meanwhile: () throws -> Void = {}) throws
    -> [Int]
  {
    let context = store.context()
    let log = SaveLog(context)
    let numbers = Set(numbers)
    let crates = try context.fetch(FetchDescriptor<Crate>(predicate: #Predicate { numbers.contains($0.number) }))
    let names = Dictionary(uniqueKeysWithValues: crates.map { ($0.persistentModelID, $0.number) })
    for crate in crates { context.delete(crate) }
    try meanwhile()
    try context.save()
    return log.saves.flatMap { $0.deleted ?? [] }.compactMap { names[$0] }
  }

  private func left(_ store: TestStore) throws -> [Int] {
    try store.context().fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)])).map(\.number)
  }

  @Test(arguments: StoreLocation.allCases)
  func runsAndSingleRowsGo(_ place: StoreLocation) throws {
    let store = try filled(place, 40)
    let gone = [1, 2, 4, 7, 8, 9, 11, 12, 13, 14, 16] + Array(20...38)
    var random = Share.generator
    #expect(try delete(gone.shuffled(using: &random), store) == gone, "LARDER_SEED=\(random.seed)")
    #expect(try left(store) == (1...40).filter { !gone.contains($0) })
  }

  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases)
  func whatOthersHaveDeletedIsNotToldAgain(_ place: StoreLocation) throws {
    let store = try filled(place, 40)
    let told = try delete(3...30, store) { try store.execute("DELETE FROM Crate WHERE number IN (3, 10, 11, 30)") }
    #expect(told == (4...29).filter { ![10, 11].contains($0) })
    #expect(try left(store) == [1, 2] + Array(31...40))
  }

  @Test(.directly("it has triggers"), arguments: StoreLocation.allCases)
  func whatATriggerKeepsIsNotTold(_ place: StoreLocation) throws {
    let store = try filled(place, 40)
    try store.execute(
      """
      CREATE TRIGGER keeps BEFORE DELETE ON Crate WHEN old.number % 10 = 3 BEGIN SELECT RAISE(IGNORE); END;
      CREATE TRIGGER takes AFTER DELETE ON Crate WHEN old.number = 15 BEGIN DELETE FROM Crate WHERE number IN (16, 39); END;
      """)
    #expect(try delete(11...30, store) == (11...30).filter { ![13, 23].contains($0) })
    #expect(try left(store) == Array(1...10) + [13, 23] + Array(31...38) + [40])
  }

  @Test(.directly("it has triggers"), arguments: StoreLocation.allCases)
  func whatATriggerBringsBackGoes(_ place: StoreLocation) throws {
    let store = try filled(place, 20)
    let told = try delete(3...10, store) {
      try store.execute(
        """
        CREATE TABLE spare AS SELECT * FROM Crate WHERE number = 7;
        DELETE FROM Crate WHERE number = 7;
        CREATE TRIGGER gives AFTER DELETE ON Crate WHEN old.number = 4 BEGIN INSERT INTO Crate SELECT * FROM spare; END;
        """)
    }
    #expect(told.sorted() == Array(3...10))
    #expect(try left(store) == [1, 2] + Array(11...20))
  }

  /// A row that may not go keeps all of them.
  @Test(.directly("it has triggers"), arguments: StoreLocation.allCases)
  func aRunIsDeletedWhollyOrNotAtAll(_ place: StoreLocation) throws {
    let store = try filled(place, 20)
    try store.execute(
      "CREATE TRIGGER stops BEFORE DELETE ON Crate WHEN old.number = 15 BEGIN SELECT RAISE(ABORT, 'no'); END")
    #expect(throws: (any Error).self) { try delete(5...18, store) }
    #expect(try left(store) == Array(1...20))
    #expect(try delete(5...14, store) == Array(5...14))
  }

  @Test(.directly("it counts statements"), arguments: StoreLocation.allCases)
  func aRunIsTwoStatements(_ place: StoreLocation) throws {
    func runs(_ count: Int) throws -> Int64 {
      let store = try filled(place, count)
      let context = store.context()
      for crate in try context.fetch(FetchDescriptor<Crate>()) { context.delete(crate) }
      return try store.writing { try context.save() }.status.statementRuns
    }
    let (few, many) = (try runs(10), try runs(1_000))
    #expect(few == many)
  }
}
