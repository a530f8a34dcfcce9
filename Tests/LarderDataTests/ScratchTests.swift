import SwiftData
import Testing

struct Location: Codable, Hashable { var name: String; var longitude: Double; var latitude: Double }

@Model
class Quake {
  @Attribute(.unique) var code: String
  var magnitude: Double
  var time: Date
  var location: Location
  var note: String?
  init(code: String, magnitude: Double, time: Date, name: String, longitude: Double, latitude: Double) {
    self.code = code
    self.magnitude = magnitude
    self.time = time
    self.location = Location(name: name, longitude: longitude, latitude: latitude)
  }
}

@Test func scratch() throws {
  let container = try ModelContainer(for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  let context = ModelContext(container)
  for i in 0..<10 {
    context.insert(Quake(code: "c\(i)", magnitude: Double(i), time: .now, name: "n", longitude: 1, latitude: 2))
  }
  #expect(try context.fetch(FetchDescriptor<Quake>()).count == 10)
  try context.save()
  let other = ModelContext(container)
  let quakes = try other.fetch(FetchDescriptor<Quake>())
  #expect(quakes.map(\.code) == (0..<10).map { "c\($0)" })
  #expect(quakes[3].location == Location(name: "n", longitude: 1, latitude: 2))
  quakes[3].magnitude = 42
  #expect(quakes[3].hasChanges)
  try other.save()
  #expect(try context.fetch(FetchDescriptor<Quake>())[3].magnitude == 42)
  context.insert(Quake(code: "c3", magnitude: 7, time: .now, name: "m", longitude: 1, latitude: 2))
  try context.save()
  #expect(try context.fetch(FetchDescriptor<Quake>())[3].magnitude == 7)
  #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 10)
}

@Test func scratchPredicate() throws {
  let container = try ModelContainer(for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  let context = ModelContext(container)
  for round in 0..<2 {
    for i in 0..<100 {
      let code = "c\(i)"
      let found = try context.fetch(FetchDescriptor(predicate: #Predicate<Quake> { $0.code == code }))
      #expect(found.count == round)
      if let quake = found.first { quake.magnitude = 1 } else {
        context.insert(Quake(code: code, magnitude: Double(i), time: .now, name: "n\(i)", longitude: 1, latitude: 2))
        #expect(try context.fetch(FetchDescriptor(predicate: #Predicate<Quake> { $0.code == code })).count == 1)
      }
    }
    try context.save()
  }
  let named = try context.fetch(FetchDescriptor<Quake>(predicate: #Predicate { $0.location.name.contains("n5") && $0.magnitude < 2 }, sortBy: [SortDescriptor(\.code, order: .reverse)]))
  #expect(named.count == 11)
  #expect(named.first?.code == "c59")
}
