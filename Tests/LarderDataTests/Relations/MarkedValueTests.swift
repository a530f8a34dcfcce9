import LarderData
import SwiftData
import Testing

/// `@Relationship` on what is no relationship, as published models have it: without effect, as on Apple's.
@Model
final class Preset {
  var key: String
  @Relationship var tags: [String] = []
  @Relationship(originalName: "former") var level: Level = Level.low
  enum Level: String, Codable { case low, high }
  init(key: String) { self.key = key }
}

@Suite struct MarkedValueTests {
  @Test(arguments: StoreLocation.allCases)
  func relationshipOnAValueIsAnAttribute(_ place: StoreLocation) throws {
    let store = try TestStore(place, Preset.self)
    let context = store.context()
    for key in ["a", "a"] {
      let preset = Preset(key: key)
      preset.tags = [key]
      preset.level = .high
      context.insert(preset)
      try context.save()
    }
    let read = try store.context().fetch(FetchDescriptor<Preset>())
    #expect(read.count == 2 && read.allSatisfy { $0.tags == ["a"] && $0.level == .high })
    let entity = try #require(Schema([Preset.self]).entitiesByName["Preset"])
    #expect(entity.relationships.isEmpty)
    #expect(Set(entity.attributes.map(\.name)) == ["key", "tags", "level"])
  }
}
