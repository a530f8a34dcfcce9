import Atlas
import SwiftData
import Testing

/// Models of this module that relate to one of another.
@Model
final class Town {
  var name: String
  var country: Country?
  @Relationship(deleteRule: .nullify) var twinned: [Country] = []

  init(name: String, country: Country?) {
    self.name = name
    self.country = country
  }
}

@Suite struct SeveralModulesTests {
  @Test func modelsRelateAcrossModules() throws {
    let container = try ModelContainer(
      for: Town.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let country = Country(code: "no")
    country.flag = Data([1, 2])
    country.names["nb"] = "Norge"
    let town = Town(name: "Bergen", country: country)
    town.twinned = [Country(code: "se", kind: .union), country]
    context.insert(town)
    try context.save()

    let other = ModelContext(container)
    let read = try #require(try other.fetch(FetchDescriptor<Town>(predicate: #Predicate { $0.name == "Bergen" })).first)
    #expect(read.country?.code == "no" && read.country?.flag == Data([1, 2]))
    #expect(read.twinned.map(\.code) == ["se", "no"] && read.twinned.first?.kind == .union)
    read.country?.visit()
    read.country?.isShown = true
    #expect(other.hasChanges)
    try other.save()
    let codes = FetchDescriptor<Country>(predicate: #Predicate { $0.visits == 1 })
    #expect(try context.fetch(codes).map(\.code) == ["no"])
    #expect(country.names == ["nb": "Norge"] && !country.isShown)
    // An insert that meets the other module's row updates it.
    context.insert(Country(code: "se"))
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Country>()) == 2)
  }
}
