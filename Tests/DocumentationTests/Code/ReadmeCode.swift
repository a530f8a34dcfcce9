// snippet: readme
import SwiftData
// snippet end
import Testing

/// The code that README.md shows.
@Suite struct ReadmeCode {
  // snippet: readme
  @Model
  class Quake {
    @Attribute(.unique) var code: String
    var magnitude: Double
    var time: Date

    init(code: String, magnitude: Double, time: Date) {
      self.code = code
      self.magnitude = magnitude
      self.time = time
    }
  }

  @ModelActor
  actor Importer {
    func store(_ magnitude: Double, of code: String, at time: Date) throws {
      // Saved as a whole at the end. A transaction that fails is rolled back, so the next save does not try it again.
      try modelContext.transaction {
        let same = FetchDescriptor<Quake>(predicate: #Predicate { $0.code == code })
        if let known = try modelContext.fetch(same).first {
          known.magnitude = magnitude
        } else {
          modelContext.insert(Quake(code: code, magnitude: magnitude, time: time))
        }
      }
    }
  }
  // snippet end

  @Test func works() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("quakes.store")
    var lines: [String] = []
    func print(_ code: String, _ magnitude: Double) { lines.append("\(code) \(magnitude)") }

    // snippet: readme
    let container = try ModelContainer(for: Quake.self, configurations: ModelConfiguration(url: file))
    let importer = Importer(modelContainer: container)
    try await importer.store(6.0, of: "us7000abcd", at: .now)
    try await importer.store(6.1, of: "us7000abcd", at: .now)

    let context = ModelContext(container)
    let strong = FetchDescriptor<Quake>(
      predicate: #Predicate { $0.magnitude >= 5 }, sortBy: [SortDescriptor(\.time, order: .reverse)])
    for quake in try context.fetch(strong) {
      print(quake.code, quake.magnitude)
    }
    // snippet end

    #expect(lines == ["us7000abcd 6.1"])
  }
  // snippet: readme relationships
  @Model
  class Region {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Station.region) var stations: [Station] = []

    init(name: String) { self.name = name }
  }

  @Model
  class Station {
    var code: String
    var region: Region?

    init(code: String) { self.code = code }
  }
  // snippet end

  @Test func relates() throws {
    // snippet: readme relationships
    let regions = try ModelContainer(for: Region.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(regions)
    let alaska = Region(name: "Alaska")
    alaska.stations = [Station(code: "COLA"), Station(code: "KDAK")]
    context.insert(alaska)
    try context.save()
    let northern = try context.fetch(FetchDescriptor<Station>(predicate: #Predicate { $0.region?.name == "Alaska" }))
    // snippet end
    #expect(northern.map(\.code) == ["COLA", "KDAK"])
  }
}
