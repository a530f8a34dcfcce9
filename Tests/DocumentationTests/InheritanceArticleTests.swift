import SwiftData
import Testing

/// The steps of Inheritance.md, each run.
@Suite struct InheritanceArticleTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    // snippet: open hierarchy
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: StoreLocation.self, Museum.self, configurations: configuration)
    // snippet end
    self.container = container
    context = ModelContext(container)
    context.insert(StoreLocation(name: "Harbour"))
    context.insert(Museum(name: "Glass", closingHour: 18))
    context.insert(Museum(name: "Clocks", closingHour: 22))
    try context.save()
  }

  @Test func classesAreFetched() throws {
    let context = ModelContext(container)
    var lines: [String] = []
    func print(_ name: String, _ hour: Int) { lines.append("\(name) \(hour)") }
    // snippet: fetch hierarchy
    let places = try context.fetch(FetchDescriptor<StoreLocation>(sortBy: [SortDescriptor(\.name)]))
    for case let museum as Museum in places { print(museum.name, museum.closingHour) }
    let museums = try context.fetch(FetchDescriptor<Museum>(predicate: #Predicate { $0.name.contains("s") }))
    // snippet end
    #expect(places.map(\.name) == ["Clocks", "Glass", "Harbour"])
    #expect(lines == ["Clocks 22", "Glass 18"])
    #expect(museums.count == 2)
  }

  @Test func predicatesAskForTheClass() throws {
    // snippet: casts
    let museums = #Predicate<StoreLocation> { $0 is Museum }
    let late = #Predicate<StoreLocation> { (($0 as? Museum)?.closingHour ?? 0) > 20 }
    // snippet end
    #expect(try context.fetchCount(FetchDescriptor(predicate: museums)) == 2)
    #expect(try context.fetch(FetchDescriptor(predicate: late)).map(\.name) == ["Clocks"])
  }

  @Test func deletionLeavesSubclasses() throws {
    // snippet: delete hierarchy
    try context.delete(model: StoreLocation.self, where: #Predicate { $0.visits == 0 }, includeSubclasses: false)
    // snippet end
    try context.save()
    #expect(try context.fetch(FetchDescriptor<StoreLocation>()).count == 2)
  }
}
