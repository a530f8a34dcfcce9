import Foundation
import LarderSQLite
import SwiftData
import Testing

@testable import LarderData

@Suite struct FetchDescriptorTests {
  private func numbered(_ number: Int) -> FetchDescriptor<Crate> {
    FetchDescriptor(predicate: #Predicate { $0.number == number })
  }

  private func dated(_ date: Date) -> FetchDescriptor<EveryValue> {
    FetchDescriptor(predicate: #Predicate { $0.date > date })
  }

  private func listed(_ numbers: [Int]) -> FetchDescriptor<Crate> {
    FetchDescriptor(predicate: #Predicate { numbers.contains($0.number) })
  }

  private func started(_ text: String) -> FetchDescriptor<Crate> {
    FetchDescriptor(predicate: #Predicate { $0.text.starts(with: text) || $0.note == nil })
  }

  private func powered(_ number: Int) -> FetchDescriptor<Crate> {
    // The store has no count of characters, so no plan either.
    FetchDescriptor(predicate: #Predicate { $0.text.count == number })
  }

  @Test func descriptorsAreEqualThatAskForTheSame() {
    #expect(FetchDescriptor<Crate>() == FetchDescriptor<Crate>())
    #expect(numbered(1) == numbered(1))
    #expect(listed([1, 2]) == listed([1, 2]))
    #expect(started("a") == started("a"))
    #expect(powered(1) == powered(1))
    let date = Date.now
    #expect(dated(date) == dated(date))
  }

  @Test func descriptorsDifferByWhatTheirPredicateCaptured() {
    #expect(numbered(1) != numbered(2))
    #expect(numbered(1) != FetchDescriptor())
    #expect(listed([1, 2]) != listed([1, 3]))
    #expect(started("a") != started("b"))
    #expect(powered(1) != powered(2))
    let date = Date(timeIntervalSinceReferenceDate: 1_000)
    #expect(dated(date) != dated(date.addingTimeInterval(0.25)))
  }

  @Test func descriptorsDifferByWhatTheirPredicateSays() {
    let below = FetchDescriptor<Crate>(predicate: #Predicate { $0.number < 1 })
    let above = FetchDescriptor<Crate>(predicate: #Predicate { $0.number > 1 })
    #expect(below != above)
    // Their types and their descriptions are the same.
    let code = FetchDescriptor<Sensor>(predicate: #Predicate { $0.code == "a" })
    let label = FetchDescriptor<Sensor>(predicate: #Predicate { $0.label == "a" })
    #expect(code != label)
  }

  @Test func descriptorsDifferByEachOfTheirOptions() {
    let changes: [(inout FetchDescriptor<Crate>) -> Void] = [
      { $0.sortBy = [SortDescriptor(\.number)] }, { $0.sortBy = [SortDescriptor(\.number, order: .reverse)] },
      { $0.fetchLimit = 1 }, { $0.fetchOffset = 1 }, { $0.includePendingChanges = false },
      { $0.propertiesToFetch = [\.number] }, { $0.relationshipKeyPathsForPrefetching = [\.number] },
    ]
    var descriptors = [FetchDescriptor<Crate>()]
    for change in changes {
      var descriptor = FetchDescriptor<Crate>()
      change(&descriptor)
      descriptors.append(descriptor)
    }
    for (place, descriptor) in descriptors.enumerated() {
      #expect(descriptors.indices.filter { descriptors[$0] == descriptor } == [place])
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func propertiesToFetchLeavesNothingOut(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    context.insert(Crate(number: 1, text: "one", note: "n"))
    try context.save()
    let other = store.context()
    var descriptor = FetchDescriptor<Crate>()
    descriptor.propertiesToFetch = [\.number]
    let crate = try #require(try other.fetch(descriptor).first)
    let reading = try other.reading { #expect(crate.text == "one" && crate.note == "n" && crate.number == 1) }
    #expect(reading.statementRuns == 0)
    // What the descriptor does not name is edited, kept and saved like the rest.
    crate.text = "two"
    #expect(try other.fetch(descriptor).first?.text == "two")
    try other.save()
    #expect(try store.rows("SELECT number, text, note FROM Crate") == [[.integer(1), .text("two"), .text("n")]])
  }
}
