import SwiftData
import Testing

/// The steps of Relationships.md, each run.
@Suite struct RelationshipsArticleTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  private func fill() throws {
    let (kyoto, alps) = (Trip(name: "Kyoto"), Trip(name: "Alps"))
    kyoto.stops = [Stop(name: "Gion", nights: 3), Stop(name: "Uji")]
    alps.stops = [Stop(name: "Grindelwald", nights: 5)]
    for trip in [kyoto, alps, Trip(name: "Nowhere")] { context.insert(trip) }
    let ann = Guest(name: "Ann")
    ann.trips = [kyoto]
    context.insert(ann)
    try context.save()
  }

  @Test func graphs() throws {
    // snippet: graph
    let kyoto = Trip(name: "Kyoto")
    kyoto.stops = [Stop(name: "Gion", nights: 3), Stop(name: "Uji")]
    let ann = Guest(name: "Ann")
    ann.trips = [kyoto]
    ann.passport = Passport(number: "C01", guest: ann)
    context.insert(ann)
    try context.save()
    // snippet end
    let trips = try ModelContext(container).fetch(FetchDescriptor<Trip>())
    #expect(trips.map { $0.stops.map(\.name) } == [["Gion", "Uji"]])
    #expect(trips.first?.guests.first?.passport?.number == "C01")

    let alps = Trip(name: "Alps")
    context.insert(alps)
    // snippet: both ends
    kyoto.stops.append(Stop(name: "Fushimi"))
    kyoto.stops[0].trip = alps
    kyoto.stops.swapAt(0, 1)
    // snippet end
    #expect(kyoto.stops.map(\.name) == ["Fushimi", "Uji"])
    #expect(alps.stops.map(\.name) == ["Gion"])
    #expect(kyoto.stops.allSatisfy { $0.trip === kyoto })
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Stop>()).allSatisfy { $0.trip != nil })
  }

  @Test func deletions() throws {
    try fill()
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    // snippet: cascade
    context.delete(trip)
    let left = try context.fetchCount(FetchDescriptor<Stop>())
    // snippet end
    #expect(left == 1)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Guest>()).map(\.trips.count) == [0])
  }

  @Test func prefetching() throws {
    try fill()
    let context = ModelContext(container)
    var lines: [String] = []
    func print(_ name: String, _ count: Int) { lines.append("\(name) \(count)") }
    // snippet: prefetch
    var all = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    all.relationshipKeyPathsForPrefetching = [\.stops]
    for trip in try context.fetch(all) { print(trip.name, trip.stops.count) }
    // snippet end
    #expect(lines == ["Alps 1", "Kyoto 2", "Nowhere 0"])
  }

  @Test func predicates() throws {
    try fill()
    func names(_ predicate: Predicate<Trip>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
    }
    func stops(_ predicate: Predicate<Stop>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
    }
    // snippet: to-one predicates
    let inKyoto = #Predicate<Stop> { $0.trip?.name == "Kyoto" }
    let homeless = #Predicate<Stop> { $0.trip == nil }
    // snippet end
    #expect(try stops(inKyoto) == ["Gion", "Uji"])
    #expect(try stops(homeless) == [])

    // snippet: to-many predicates
    let long = #Predicate<Trip> { $0.stops.contains { $0.nights > 4 } }
    let short = #Predicate<Trip> { $0.stops.allSatisfy { $0.nights < 5 } }
    let several = #Predicate<Trip> { $0.stops.filter { $0.nights > 0 }.count > 1 }
    let empty = #Predicate<Trip> { $0.stops.isEmpty }
    let guests = #Predicate<Trip> { $0.guests.contains { $0.passport == nil } }
    // snippet end
    #expect(try names(long) == ["Alps"])
    #expect(try names(short) == ["Kyoto", "Nowhere"])
    #expect(try names(several) == ["Kyoto"])
    #expect(try names(empty) == ["Nowhere"])
    #expect(try names(guests) == ["Kyoto"])

    #expect(throws: SwiftDataError.unsupportedPredicate) { try stops(#Predicate { $0.trip!.name == "Kyoto" }) }
    #expect(throws: SwiftDataError.unsupportedPredicate) { try names(#Predicate { $0.stops[0].nights == 3 }) }

    let kyoto = try #require(try context.fetch(FetchDescriptor<Trip>()).first { $0.name == "Kyoto" })
    // snippet: identifiers of objects
    let id = kyoto.persistentModelID
    let own = #Predicate<Stop> { $0.trip?.persistentModelID == id }
    // snippet end
    #expect(try stops(own) == ["Gion", "Uji"])

    // snippet: sorting through
    let sorted = FetchDescriptor<Stop>(sortBy: [
      SortDescriptor(\.trip?.name, comparator: .lexical), SortDescriptor(\.nights, order: .reverse),
    ])
    // snippet end
    #expect(try context.fetch(sorted).map(\.name) == ["Grindelwald", "Gion", "Uji"])
    context.insert(Stop(name: "Oslo"))
    #expect(try stops(homeless) == ["Oslo"])
    kyoto.stops[0].nights = 9
    #expect(try names(long) == ["Alps", "Kyoto"])
  }

  @Test func spousesAreEachOthers() throws {
    typealias Person = PersonCode.Person
    let container = try ModelContainer(
      for: Person.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let (ann, ben) = (Person(name: "Ann"), Person(name: "Ben"))
    context.insert(ann)
    context.insert(ben)
    ann.spouse = ben
    #expect(ben.spouse === ann)
    try context.save()
    let read = try ModelContext(container).fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(read.map { $0.spouse?.name } == ["Ben", "Ann"])
    ann.spouse = nil
    try context.save()
    #expect(ben.spouse == nil)
  }

  /// Counts of a to-many have no column to sort by.
  @Test func whatCannotBeSortedBy() throws {
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\Trip.stops.count)]))
    }
  }

  @Test func figuresOfRelatedObjectsAreRefused() throws {
    try fill()
    let inKyoto = try context.count(Stop.self, where: #Predicate { $0.trip?.name == "Kyoto" })
    #expect(inKyoto == 2)
    #expect(throws: (any Error).self) { try context.counts(by: \Stop.trip?.name) }
    #expect(throws: (any Error).self) { try context.distinct(\Stop.trip?.name) }
    #expect(throws: (any Error).self) { try context.updateAndSave(Stop.self) { $0.set(\.trip, to: nil) } }
    // snippet: changes through
    try context.updateAndSave(Stop.self, where: #Predicate { $0.trip?.name == "Kyoto" }) { $0.set(\.nights, to: 2) }
    // snippet end
    #expect(try context.fetch(FetchDescriptor<Stop>(sortBy: [SortDescriptor(\.name)])).map(\.nights) == [2, 5, 2])
  }
}
