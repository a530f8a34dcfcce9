import Foundation
import LarderSQLite
import SwiftData
import Testing

@testable import LarderData

@Suite struct ExplainTests {
  private func filled(_ place: StoreLocation, _ count: Int) throws -> (store: TestStore, context: ModelContext) {
    let store = try TestStore(place, Reading.self)
    let context = store.context()
    for number in 0..<count { context.insert(Reading(number, level: Double(number))) }
    try context.save()
    return (store, store.context())
  }

  private func listener(_ said: Counted<[String]>) -> @Sendable (String) -> Void {
    { message in said.update { $0.append(message) } }
  }

  @Test(arguments: StoreLocation.allCases)
  func explanationNamesTheIndexThatServes(_ place: StoreLocation) throws {
    let (_, context) = try filled(place, 1)
    let served = try context.explain(
      FetchDescriptor<Reading>(predicate: #Predicate { $0.station == "a" }, sortBy: [SortDescriptor(\.number)]))
    #expect(served.indexes == ["larder_index_Reading(station)"])
    #expect(!served.isScan)
    #expect(served.isSorted)
    #expect(served.suggestion == "#Index<Reading>([\\.station, \\.number])")
    #expect(served.sql.contains("WHERE"))
    let ordered = try context.explain(FetchDescriptor<Reading>(sortBy: [SortDescriptor(\.level)]))
    #expect(ordered.indexes == ["larder_index_Reading(level)"])
    #expect(!ordered.isSorted)
    #expect(ordered.suggestion == nil)
    let identifier = try #require(try context.fetchIdentifiers(FetchDescriptor<Reading>()).first)
    let row = try context.explain(
      FetchDescriptor<Reading>(predicate: #Predicate { $0.persistentModelID == identifier && -$0.number < 9 }))
    #expect(!row.isScan && row.description.contains("INTEGER PRIMARY KEY"), "\(row)")
    #expect(context.core.objectCount == 0)
  }

  @Test(arguments: StoreLocation.allCases)
  func explanationSaysWhichIndexWouldHelp(_ place: StoreLocation) throws {
    let (_, context) = try filled(place, 1)
    func explain(
      _ predicate: Predicate<Reading>?, _ sort: [SortDescriptor<Reading>] = []
    ) throws -> FetchExplanation {
      try context.explain(FetchDescriptor(predicate: predicate, sortBy: sort))
    }
    let range = try explain(#Predicate { $0.number > 3 && $0.small == 2 })
    #expect(range.isScan)
    #expect(range.suggestion == "#Index<Reading>([\\.small, \\.number])")
    let member = try explain(#Predicate { $0.spot.name == "x" }, [SortDescriptor(\.spot.x, order: .reverse)])
    #expect(member.suggestion == "#Index<Reading>([\\.spot.name, \\.spot.x])")
    let wanted = [1, 2]
    #expect(try explain(#Predicate { wanted.contains($0.number) }).suggestion == "#Index<Reading>([\\.number])")
    // No index has these orders.
    #expect(try explain(#Predicate { $0.price > 3 }).suggestion == nil)
    #expect(try explain(#Predicate { $0.station.contains("a") }).suggestion == nil)
    #expect(try explain(nil).suggestion == nil)
    #expect(try explain(nil).isScan)
    let text = try explain(#Predicate { $0.number > 3 }).description
    #expect(text.contains("SCAN Reading") && text.contains("Would help: #Index<Reading>([\\.number])"))
    context.insert(Reading(5))
    #expect(try explain(#Predicate { $0.number > 3 }).includesPending)
  }

  @Test(.directly("it counts statements"), arguments: StoreLocation.allCases)
  func scanOfALargeTableIsLoggedOnce(_ place: StoreLocation) throws {
    let (store, context) = try filled(place, FullScanMonitor.largeScanRowCount + 10)
    let said = Counted<[String]>([])
    try Log.$listener.withValue(listener(said)) {
      for number in 0..<3 {
        _ = try context.fetchCount(FetchDescriptor<Reading>(predicate: #Predicate { $0.number < number }))
        _ = try store.context().fetch(FetchDescriptor<Reading>(predicate: #Predicate { $0.number < number }))
        // None of these is a scan that an index would spare.
        _ = try context.fetch(FetchDescriptor<Reading>(predicate: #Predicate { $0.level < 3 }))
        _ = try context.fetchIdentifiers(FetchDescriptor<Reading>())
      }
    }
    // The count and the fetch are a statement each.
    #expect(said.value.count == 2)
    for message in said.value {
      #expect(message.contains("#Index<Reading>([\\.number])"), "\(message)")
      #expect(message.contains("\(FullScanMonitor.largeScanRowCount)") || message.contains("100"), "\(message)")
    }
  }

  /// A fetch that an index serves is asked about once, whatever contexts run it.
  @Test(arguments: StoreLocation.allCases)
  func watchingCostsNothingPerFetch(_ place: StoreLocation) throws {
    let (store, context) = try filled(place, 100)
    func fetch(_ context: ModelContext, _ number: Int) throws {
      let level = Double(number)
      _ = try context.fetch(FetchDescriptor<Reading>(predicate: #Predicate { $0.level == level && $0.number >= 0 }))
    }
    try fetch(context, 0)
    let done = try context.reading { for number in 0..<50 { try fetch(context, number) } }
    #expect(done.statementsPrepared == 0)
    #expect(done.statementRuns == 50)
    let others = try store.context().core.sessions[0].read { $0.status() }
    for number in 0..<5 { try fetch(store.context(), number) }
    let after = try store.context().core.sessions[0].read { $0.status() }
    // Those that begin and end a read transaction, and the fetch's own on a connection that did not have it.
    #expect((after - others).statementsPrepared < 5)
  }

  @Test(arguments: StoreLocation.allCases)
  func smallTablesAreNotSpokenOf(_ place: StoreLocation) throws {
    let (_, context) = try filled(place, 100)
    let said = Counted<[String]>([])
    try Log.$listener.withValue(listener(said)) {
      _ = try context.fetch(FetchDescriptor<Reading>(predicate: #Predicate { $0.number < 5 }))
    }
    #expect(said.value.isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func adviceMindsRelatedObjects(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let context = store.context()
    func explain(_ predicate: Predicate<Member>, _ sort: [SortDescriptor<Member>] = []) throws -> FetchExplanation {
      try context.explain(FetchDescriptor(predicate: predicate, sortBy: sort))
    }
    #expect(try explain(#Predicate { $0.family?.name == "x" }).suggestion == nil)
    // The name's index serves both.
    let served = try explain(#Predicate { $0.family?.name == "x" && $0.age == 3 })
    #expect(!served.isScan && served.suggestion == nil)
    let families = try context.explain(
      FetchDescriptor<Family>(predicate: #Predicate { $0.members.contains { $0.age == 3 && $0.name == "x" } }))
    #expect(families.suggestion == "#Index<Member>([\\.age, \\.name])")
    let sorted = try explain(#Predicate { $0.age > 3 }, [SortDescriptor(\.family?.name)])
    #expect(sorted.suggestion == nil || sorted.suggestion == "#Index<Member>([\\.age])")
    let identifier = try #require(try identifierOfMember(store))
    #expect(try explain(#Predicate { $0.persistentModelID == identifier }).suggestion == nil)
  }

  private func identifierOfMember(_ store: TestStore) throws -> PersistentIdentifier? {
    let context = store.context()
    let member = Member(name: "a")
    context.insert(member)
    try context.save()
    return member.persistentModelID
  }
}
