import Foundation
import LarderSQLite
import SwiftData
import Testing

@testable import LarderData

@Suite struct EnumerationTests {
  private func filled(_ place: StoreLocation, _ count: Int) throws -> TestStore {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    for number in 0..<count { context.insert(Crate(number: number)) }
    try context.save()
    return store
  }

  @Test(arguments: StoreLocation.allCases)
  func enumerationGoesInOrderAndLetsGo(_ place: StoreLocation) throws {
    let store = try filled(place, 250)
    let context = store.context()
    var seen: [Int] = []
    var mostAlive = 0
    try context.enumerate(
      FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number, order: .reverse)]), batchSize: 10
    ) { crate in
      seen.append(crate.number)
      mostAlive = max(mostAlive, context.core.objectCount)
    }
    #expect(seen == (0..<250).reversed())
    #expect(mostAlive <= 11)
  }

  @Test(arguments: StoreLocation.allCases)
  func enumerationIncludesWhatIsPending(_ place: StoreLocation) throws {
    let store = try filled(place, 5)
    let context = store.context()
    context.insert(Crate(number: 5))
    var seen: [Int] = []
    try context.enumerate(FetchDescriptor<Crate>(predicate: #Predicate { $0.number > 2 }), allowEscapingMutations: true)
    {
      seen.append($0.number)
      $0.text = "seen"
    }
    #expect(seen == [3, 4, 5])
    #expect(context.changedModelsArray.count == 2)
  }

  @Test(arguments: StoreLocation.allCases)
  func enumerationRefusesEditsThatStayPending(_ place: StoreLocation) throws {
    let store = try filled(place, 30)
    let context = store.context()
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.enumerate(FetchDescriptor<Crate>(), batchSize: 10) { $0.text = "edited" }
    }
    #expect(context.changedModelsArray.count == 10)
    context.rollback()
    // Saved in the block, they may be let go.
    try context.enumerate(FetchDescriptor<Crate>(), batchSize: 10) {
      $0.text = "saved"
      try context.save()
    }
    #expect(try store.value("SELECT count(*) FROM Crate WHERE text = 'saved'") == .integer(30))
  }

  @Test(arguments: StoreLocation.allCases)
  func enumerationPassesOverRowsThatAreDeletedMeanwhile(_ place: StoreLocation) throws {
    let store = try filled(place, 5)
    let context = store.context()
    var seen: [Int] = []
    try context.enumerate(FetchDescriptor<Crate>(), allowEscapingMutations: true) { crate in
      seen.append(crate.number)
      if crate.number == 1 {
        try context.delete(model: Crate.self, where: #Predicate { $0.number == 3 })
      }
    }
    #expect(seen == [0, 1, 2, 4])
  }

  @Test(arguments: StoreLocation.allCases)
  func aBatchIsOneStatement(_ place: StoreLocation) throws {
    let store = try filled(place, 1_000)
    let context = store.context()
    let descriptor = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number, order: .reverse)])
    try context.enumerate(descriptor, batchSize: 100) { _ in }
    func runs(_ body: () throws -> Void) throws -> Int64 {
      try context.reading(body).statementRuns
    }
    // The identifiers, and ten batches; a lease that ends meanwhile begins another read transaction.
    var mostAlive = 0
    let enumeration = try runs {
      try context.enumerate(descriptor, batchSize: 100) { _ in mostAlive = max(mostAlive, context.core.objectCount) }
    }
    #expect(enumeration <= 11 + 6)
    #expect(mostAlive <= 100)
    let walk = try runs {
      let results = try context.fetch(descriptor, batchSize: 100)
      #expect(results.map(\.number) == (0..<1_000).reversed())
    }
    #expect(walk <= 11 + 6)
  }

  @Test(arguments: StoreLocation.allCases)
  func rowsThatAreDeletedAndSavedInTheBlockArePassedOver(_ place: StoreLocation) throws {
    let store = try filled(place, 5)
    let context = store.context()
    context.insert(Crate(number: 5))
    var seen: [Int] = []
    try context.enumerate(FetchDescriptor<Crate>(), allowEscapingMutations: true) { crate in
      seen.append(crate.number)
      if crate.number == 1 {
        try context.delete(model: Crate.self, where: #Predicate { $0.number == 3 })
        try context.save()
      }
    }
    #expect(seen == [0, 1, 2, 4, 5])
  }

  @Test(arguments: StoreLocation.allCases)
  func insertedModelsThatBecomeOtherRowsAreStillEnumerated(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let first = store.context()
    first.insert(Sensor("a", level: 1))
    try first.save()
    let context = store.context()
    context.insert(Sensor("a", level: 2))
    let results = try context.fetch(FetchDescriptor<Sensor>(sortBy: [SortDescriptor(\.level)]), batchSize: 1)
    #expect(results.map(\.level) == [1, 2])
    try context.save()
    #expect(results.map(\.level) == [2, 2])
  }
}
