import Foundation
import SwiftData
import Testing

@testable import LarderData

@Suite struct BatchTests {
  private func filled(_ place: StoreLocation, _ count: Int) throws -> TestStore {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    for number in 0..<count { context.insert(Crate(number: number)) }
    try context.save()
    return store
  }

  private let byNumber = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number, order: .reverse)])

  @Test(arguments: StoreLocation.allCases, [1, 7, 10, 250, 1_000])
  func resultsInBatchesAreThoseOfAFetch(_ place: StoreLocation, _ batchSize: Int) throws {
    let store = try filled(place, 250)
    let context = store.context()
    let results = try context.fetch(byNumber, batchSize: batchSize)
    #expect(results.count == 250)
    #expect(results.map(\.number) == Array((0..<250).reversed()))
    #expect(results.reversed().map(\.number) == Array(0..<250))
    #expect(results[100].number == 149)
    #expect(results.first?.number == 249)
    #expect(results.last?.number == 0)
  }

  @Test(arguments: StoreLocation.allCases)
  func oneBatchIsInMemoryAtATime(_ place: StoreLocation) throws {
    let store = try filled(place, 250)
    let context = store.context()
    let results = try context.fetch(byNumber, batchSize: 10)
    #expect(context.core.objectCount == 0)
    var mostAlive = 0
    for crate in results { mostAlive = max(mostAlive, context.core.objectCount, crate.number >= 0 ? 1 : 0) }
    // The batch that goes is there until the next has come, and the loop holds one.
    #expect(mostAlive >= 10)
    #expect(mostAlive <= 21)
  }

  @Test(arguments: StoreLocation.allCases, [0, -1])
  func aBatchSizeBelowOneLoadsAllAtOnce(_ place: StoreLocation, _ batchSize: Int) throws {
    let store = try filled(place, 25)
    let context = store.context()
    let results = try context.fetch(byNumber, batchSize: batchSize)
    #expect(results.first?.number == 24)
    #expect(context.core.objectCount == 25)
    #expect(
      try store.context().fetch(FetchDescriptor<Crate>(predicate: #Predicate { $0.number < 0 }), batchSize: 0).isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func batchesIncludeWhatIsPending(_ place: StoreLocation) throws {
    let store = try filled(place, 3)
    let context = store.context()
    let stored = try context.fetch(byNumber)
    context.delete(stored[0])
    stored[2].number = 20
    context.insert(Crate(number: 10))
    let results = try context.fetch(byNumber, batchSize: 2)
    #expect(results.map(\.number) == [20, 10, 1])
    #expect(results[0] === stored[2])
    #expect(try Array(context.fetchIdentifiers(byNumber, batchSize: 2)) == results.map(\.persistentModelID))
  }

  @Test(arguments: StoreLocation.allCases)
  func batchesKeepTheirContext(_ place: StoreLocation) throws {
    let store = try filled(place, 0)
    func results() throws -> FetchResultsCollection<Crate> {
      let context = store.context()
      context.insert(Crate(number: 5))
      return try context.fetch(byNumber, batchSize: 1)
    }
    let kept = try results()
    #expect(kept.first?.number == 5)
    #expect(kept.first?.modelContext?.hasChanges == true)
    kept.first?.modelContext?.rollback()
  }

  @Test(arguments: StoreLocation.allCases)
  func aResultThatIsBeingDeletedIsStillThere(_ place: StoreLocation) throws {
    let store = try filled(place, 5)
    let context = store.context()
    let results = try context.fetch(byNumber, batchSize: 2)
    for crate in results { context.delete(crate) }
    #expect(results[0].isDeleted)
    #expect(results[4].isDeleted)
    try context.save()
    #expect(try store.context().fetchCount(byNumber) == 0)
  }

  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases)
  func aResultOfADeletedRowStandsForNothing(_ place: StoreLocation) throws {
    let store = try filled(place, 4)
    let context = store.context()
    let results = try context.fetch(byNumber, batchSize: 2)
    #expect(results[0].number == 3)
    try store.execute("DELETE FROM Crate")
    let gone = results[3]
    #expect(gone.isDeleted)
    #expect(gone.modelContext == nil)
    #expect(try context.fetchIdentifiers(byNumber, batchSize: 2).isEmpty)
  }
}
