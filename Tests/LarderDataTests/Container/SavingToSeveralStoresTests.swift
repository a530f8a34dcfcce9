import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// A save to several stores is whole in all of them, or in none, unless a disk fails between two commits.
@Suite struct SavingToSeveralStoresTests {
  private struct Refused: Error {}

  @Test(arguments: StoreLocation.allCases, [false, true])
  func whatOneStoreRefusesIsWrittenToNone(_ place: StoreLocation, _ refusesFirst: Bool) throws {
    let two = try TwoStores(place)
    let store = refusesFirst ? two.committedFirst : two.committedLast
    let hook = store.observers.add { _, _ in throw Refused() }
    let context = two.context()
    context.insert(Crate(number: 1))
    context.insert(Sensor("a"))
    let log = SaveLog(context)
    #expect(throws: Refused.self) { try context.save() }
    #expect(try two.counts() == [0, 0])
    #expect(context.insertedModelsArray.count == 2 && log.saves.isEmpty)
    store.observers.remove(hook)
    try context.save()
    #expect(try two.counts() == [1, 1])
  }

  /// A row that refers to none is found by SQLite at the commit alone.
  @Test(arguments: StoreLocation.allCases)
  func aCommitThatFailsAfterAnotherLeavesItsOwnPartPending(_ place: StoreLocation) throws {
    let two = try TwoStores(place)
    let hook = two.committedLast.observers.add { _, connection in
      try connection.execute("CREATE TABLE up (id INTEGER PRIMARY KEY)")
      try connection.execute("CREATE TABLE down (id REFERENCES up DEFERRABLE INITIALLY DEFERRED)")
      try connection.execute("INSERT INTO down VALUES (1)")
    }
    let context = two.context()
    let (crate, sensor) = (Crate(number: 1), Sensor("a"))
    context.insert(crate)
    context.insert(sensor)
    let log = SaveLog(context)
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(try two.counts().sorted() == [0, 1])
    let isCrateSaved = try two.counts() == [1, 0]
    let (saved, pending) = isCrateSaved ? ("Crate", "Sensor") : ("Sensor", "Crate")
    let told = "what was changed of \(saved) is saved, and what was changed of \(pending) stays pending."
    #expect(error?.explanation.contains(told) == true)
    #expect(context.insertedModelsArray.count == 1)
    let (crateID, sensorID) = (crate.persistentModelID, sensor.persistentModelID)
    #expect(context.insertedModelsArray.map(\.persistentModelID) == [isCrateSaved ? sensorID : crateID])
    #expect(log.saves.map(\.inserted) == [[isCrateSaved ? crateID : sensorID]])
    two.committedLast.observers.remove(hook)
    try context.save()
    #expect(try two.counts() == [1, 1])
    #expect(!context.hasChanges)
  }

  /// Containers that list their stores in another order save at the same time.
  @Test(.directly("it looks at what an SQLite store shares and records"))
  func savesToTheSameStoresDoNotWaitForEachOther() throws {
    let folder = TestFolder()
    let both = [try TwoStores(in: folder), try TwoStores(in: folder, isReversed: true)]
    let rounds = 3
    // Long enough for the other to begin with its own first store.
    for one in both[0].container.core.stores {
      _ = one.store.observers.add { _, _ in Thread.sleep(forTimeInterval: 0.02) }
    }
    let containers = both.map(\.container)
    DispatchQueue.concurrentPerform(iterations: containers.count) { place in
      let context = ModelContext(containers[place])
      for round in 0..<rounds {
        context.insert(Crate(number: round))
        context.insert(Sensor("\(place) \(round)"))
        do { try context.save() } catch { Issue.record(error) }
      }
    }
    #expect(try both[0].counts() == [Int64(2 * rounds), Int64(2 * rounds)])
  }
}
