import SwiftData
import Testing

/// The steps of GettingStarted.md, each run.
@Suite struct GettingStartedTests {
  @Test func storesAndReadsAQuake() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("quakes.store")

    // snippet: container
    let container = try ModelContainer(for: Quake.self, configurations: ModelConfiguration(url: file))
    // snippet end

    // snippet: insert
    let context = ModelContext(container)
    let alaska = Location(name: "Alaska", longitude: -150.5, latitude: 61.2)
    context.insert(Quake(code: "ak0001", magnitude: 5.4, time: .now, location: alaska))
    try context.save()
    // snippet end

    // snippet: fetch
    let least = 5.0
    var strongest = FetchDescriptor<Quake>(
      predicate: #Predicate { $0.magnitude >= least && $0.location.name.localizedStandardContains("alaska") },
      sortBy: [SortDescriptor(\.magnitude, order: .reverse)])
    strongest.fetchLimit = 10
    let quakes = try context.fetch(strongest)
    // snippet end
    #expect(quakes.map(\.code) == ["ak0001"])

    // snippet: change
    if let quake = quakes.first {
      quake.magnitude = 5.6
      try context.save()

      quake.location.name = "the moon"
      context.rollback()
    }
    // snippet end
    let stored = try ModelContext(container).fetch(FetchDescriptor<Quake>())
    #expect(stored.map(\.magnitude) == [5.6])
    #expect(quakes.map(\.location.name) == ["Alaska"])
  }

  @Test func importsInTheBackground() async throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(url: folder.file("quakes.store")))
    func feed(_ magnitude: Double) -> Data {
      Data(
        #"[{"code": "ak0001", "magnitude": \#(magnitude), "time": 0, "place": "Alaska", "longitude": 1, "latitude": 2}]"#
          .utf8)
    }
    for magnitude in [5.4, 5.6] {
      let data = feed(magnitude)
      // snippet: import
      let feed = try JSONDecoder().decode([QuakeDTO].self, from: data)
      let importer = QuakeImporter(modelContainer: container)
      try await importer.importQuakes(feed)
      // snippet end
    }
    #expect(try ModelContext(container).fetch(FetchDescriptor<Quake>()).map(\.magnitude) == [5.6])
  }

  // snippet: first test
  @Test func importUpdatesWhatIsThere() async throws {
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let importer = QuakeImporter(modelContainer: container)
    var dto = QuakeDTO(code: "ak0001", magnitude: 5.4, time: .now, place: "Alaska", longitude: -150.5, latitude: 61.2)
    try await importer.importQuakes([dto])
    dto.magnitude = 5.6
    try await importer.importQuakes([dto])

    let quakes = try ModelContext(container).fetch(FetchDescriptor<Quake>())
    #expect(quakes.map(\.magnitude) == [5.6])
  }
  // snippet end
}
