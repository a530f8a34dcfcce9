import SwiftData
import Testing

/// The steps of CustomStores.md, each run.
@Suite struct CustomStoreArticleTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("trips.json")
  }

  private func open() throws -> ModelContainer {
    // snippet: custom store container
    let container = try ModelContainer(
      for: Trip.self, configurations: JSONStoreConfiguration(name: "Trips", fileURL: url))
    // snippet end
    return container
  }

  @Test func storeIsUsedAsAnyOther() throws {
    let context = ModelContext(try open())
    // snippet: custom store use
    let kyoto = Trip(name: "Kyoto")
    kyoto.stops = [Stop(name: "Gion", nights: 3), Stop(name: "Uji")]
    context.insert(kyoto)
    try context.save()

    let long = #Predicate<Trip> { trip in trip.stops.contains { $0.nights > 2 } }
    let trips = try context.fetch(FetchDescriptor(predicate: long, sortBy: [SortDescriptor(\.name)]))
    // snippet end
    #expect(trips.first === kyoto)
    #expect(!kyoto.persistentModelID.isTemporary)
    #expect(kyoto.persistentModelID.storeIdentifier == "trips.json")

    let again = ModelContext(try open())
    let read = try #require(try again.fetch(FetchDescriptor<Trip>()).first)
    #expect(read.persistentModelID == kyoto.persistentModelID)
    #expect(read.stops.map(\.name) == ["Gion", "Uji"])
    read.stops.removeFirst()
    again.delete(
      try #require(try again.fetch(FetchDescriptor<Stop>(predicate: #Predicate { $0.name == "Gion" })).first))
    read.name = "Kyōto"
    try again.save()
    #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Kyōto"])
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 1)
    #expect(kyoto.stops.map(\.name) == ["Uji"])

    again.delete(read)
    try again.save()
    #expect(try ModelContext(try open()).fetchCount(FetchDescriptor<Stop>()) == 0, "stops go with their trip")
    let text = try String(contentsOf: url, encoding: .utf8)
    #expect(text.filter { !$0.isWhitespace } == "[]")
  }

  @Test func fileThatIsNoneIsRefusedAndStays() throws {
    try Data("{".utf8).write(to: url)
    #expect(throws: DecodingError.self) { try open() }
    #expect(try Data(contentsOf: url) == Data("{".utf8))
  }

  @Test func whatTheStoreRefusesStaysPending() throws {
    let context = ModelContext(try open())
    context.insert(Trip(name: "Kyoto"))
    try FileManager.default.removeItem(at: folder.url)
    #expect(throws: (any Error).self) { try context.save() }
    #expect(context.insertedModelsArray.count == 1)
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try ModelContext(try open()).fetchCount(FetchDescriptor<Trip>()) == 1)
  }
}
