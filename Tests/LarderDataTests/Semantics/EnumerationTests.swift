import Foundation
import SwiftData
import Testing

@testable import LarderData

@Suite struct EnumerationTests {
  private func filled(_ place: Place, _ count: Int) throws -> TestStore {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    for number in 0..<count { context.insert(Crate(number: number)) }
    try context.save()
    return store
  }

  @Test(arguments: Place.allCases)
  func enumerationGoesInOrderAndLetsGo(_ place: Place) throws {
    let store = try filled(place, 250)
    let context = store.context()
    var seen: [Int] = []
    var mostAlive = 0
    try context.enumerate(
      FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number, order: .reverse)]), batchSize: 10
    ) { crate in
      seen.append(crate.number)
      mostAlive = max(mostAlive, context.core.instances)
    }
    #expect(seen == (0..<250).reversed())
    #expect(mostAlive <= 11)
  }

  @Test(arguments: Place.allCases)
  func enumerationIncludesWhatIsPending(_ place: Place) throws {
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

  @Test(arguments: Place.allCases)
  func enumerationRefusesEditsThatStayPending(_ place: Place) throws {
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

  @Test(arguments: Place.allCases)
  func enumerationPassesOverRowsThatAreDeletedMeanwhile(_ place: Place) throws {
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
}
