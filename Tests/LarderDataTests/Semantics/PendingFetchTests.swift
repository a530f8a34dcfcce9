import Foundation
import LarderData
import LarderSupport
import SwiftData
import Testing

@Suite struct PendingFetchTests {
  private func filled(_ place: StoreLocation) throws -> (TestStore, ModelContext) {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    for number in 0..<10 { context.insert(Crate(number: number, text: "t\(number)")) }
    try context.save()
    return (store, context)
  }

  @Test(arguments: StoreLocation.allCases)
  func pendingChangesArePartOfAFetch(_ place: StoreLocation) throws {
    let (_, context) = try filled(place)
    let all = try context.fetch(FetchDescriptor<Crate>())
    all[0].number = 100
    context.delete(all[9])
    context.insert(Crate(number: 50))
    let large = FetchDescriptor<Crate>(
      predicate: #Predicate { $0.number >= 8 }, sortBy: [SortDescriptor(\.number)])
    #expect(try context.fetch(large).map(\.number) == [8, 50, 100])
    #expect(try context.fetchCount(large) == 3)
    #expect(try context.fetchIdentifiers(large) == context.fetch(large).map(\.persistentModelID))
    var without = large
    without.includePendingChanges = false
    #expect(try context.fetchCount(without) == 2)
    #expect(try context.fetch(without).map(\.text) == ["t8", "t9"])
  }

  @Test(arguments: StoreLocation.allCases)
  func limitAndOffsetCountWhatIsPending(_ place: StoreLocation) throws {
    let (_, context) = try filled(place)
    let all = try context.fetch(FetchDescriptor<Crate>())
    for crate in all.prefix(3) { context.delete(crate) }
    context.insert(Crate(number: -1))
    all[4].number = -5
    var page = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)])
    page.fetchLimit = 4
    #expect(try context.fetch(page).map(\.number) == [-5, -1, 3, 5])
    page.fetchOffset = 3
    #expect(try context.fetch(page).map(\.number) == [5, 6, 7, 8])
    #expect(try context.fetchCount(page) == 4)
    page.fetchOffset = 100
    #expect(try context.fetch(page).isEmpty)
    page.fetchLimit = 0
    page.fetchOffset = nil
    #expect(try context.fetch(page).isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func negativeLimitIsATypedError(_ place: StoreLocation) throws {
    let (_, context) = try filled(place)
    var descriptor = FetchDescriptor<Crate>()
    descriptor.fetchLimit = -1
    #expect(try #require(throws: FetchError.self) { try context.fetch(descriptor) }.code == .invalidDescriptor)
    descriptor.fetchLimit = nil
    descriptor.fetchOffset = -1
    #expect(try #require(throws: FetchError.self) { try context.fetchCount(descriptor) }.code == .invalidDescriptor)
  }

  @Test(arguments: StoreLocation.allCases)
  func withoutAnOrderRowsComeByIdentifier(_ place: StoreLocation) throws {
    let (store, context) = try filled(place)
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Crate>())
    #expect(identifiers == identifiers.sorted())
    context.insert(Crate(number: 10))
    #expect(try context.fetch(FetchDescriptor<Crate>()).map(\.number) == Array(0...10))
    // Equal values too: the order is the same each time.
    try store.execute("UPDATE Crate SET number = 7")
    let sorted = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)])
    #expect(try store.context().fetchIdentifiers(sorted) == identifiers)
  }

  @Test(arguments: StoreLocation.allCases)
  func nilComesFirst(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    for (number, note) in ["b", nil, "a", nil].enumerated() { context.insert(Crate(number: number, note: note)) }
    let up = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.note)])
    let down = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.note, order: .reverse)])
    for _ in 0..<2 {
      #expect(try context.fetch(up).map(\.number) == [1, 3, 2, 0])
      #expect(try context.fetch(down).map(\.number) == [0, 2, 1, 3])
      try context.save()
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func membersOfCompositesSortAndFilter(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    for number in 0..<6 {
      context.insert(Sensor("\(number)", spot: Site(name: "s\(number % 2)", x: Double(-number), y: 0)))
      if number == 2 { try context.save() }
    }
    let odd = FetchDescriptor<Sensor>(
      predicate: #Predicate { $0.spot.name == "s1" }, sortBy: [SortDescriptor(\.spot.x)])
    #expect(try context.fetch(odd).map(\.code) == ["5", "3", "1"])
    try context.save()
    #expect(try context.fetch(odd).map(\.code) == ["5", "3", "1"])
  }

  /// The loop that most programs write stays linear: a fetch by key does not look at everything that is pending.
  @Test(arguments: StoreLocation.allCases)
  func equalityDoesNotScanWhatIsPending(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    func find(_ text: String) throws -> [Crate] {
      try context.fetch(FetchDescriptor<Crate>(predicate: #Predicate { $0.text == text }))
    }
    var crates: [Crate] = []
    for number in 0..<200 {
      #expect(try find("k\(number)").isEmpty)
      let crate = Crate(number: number, text: "k\(number)")
      context.insert(crate)
      crates.append(crate)
      #expect(try find("k\(number / 2)").first === crates[number / 2])
    }
    #expect(context.core.existingTracker(for: Crate._$layout)?.insertedIndexes.mask != 0)
    // Setting the property that was asked for is noticed.
    crates[3].text = "moved"
    #expect(try find("k3").isEmpty)
    #expect(try find("moved").first === crates[3])
    context.delete(crates[4])
    #expect(try find("k4").isEmpty)
    crates[5].text = "moved"
    #expect(try find("moved").map(\.number) == [3, 5])
    context.rollback()
    #expect(try find("moved").isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func modelOfAnotherContainerIsATypedError(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let error = try #require(throws: SwiftDataError.self) {
      try store.context().fetch(FetchDescriptor<Sensor>())
    }
    #expect(error == .unknownSchema)
    #expect("\(error)".contains("Sensor"))
  }
}
