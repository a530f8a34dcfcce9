import DurabilityWork
import Foundation
import SwiftData
import Testing

// Rows that become alike only because what they refer to becomes one.

enum Apart {
  @Model final class Country {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model final class City {
    #Unique<City>([\.name, \.country])
    var name: String
    var country: Country?
    init(name: String, country: Country?) {
      self.name = name
      self.country = country
    }
  }

  @Model final class Street {
    #Unique<Street>([\.name, \.city])
    var name: String
    var city: City?
    init(name: String, city: City?) {
      self.name = name
      self.city = city
    }
  }
}

enum Together {
  @Model final class Country {
    @Attribute(.unique) var name: String
    init(name: String) { self.name = name }
  }

  @Model final class City {
    #Unique<City>([\.name, \.country])
    var name: String
    var country: Country?
    init(name: String, country: Country?) {
      self.name = name
      self.country = country
    }
  }

  /// Made anew, where the others only get indexes.
  @Model final class Street {
    #Unique<Street>([\.name, \.city])
    var name: String
    var city: City?
    var isPaved = true
    init(name: String, city: City?) {
      self.name = name
      self.city = city
    }
  }
}

@Suite struct UnitingTests {
  private func store() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Apart.Country.self, Apart.City.self, Apart.Street.self) { context in
      for _ in 0..<2 {
        let country = Apart.Country(name: "Italy")
        context.insert(country)
        try context.save()
        for name in ["Rome", "Pisa"] {
          let city = Apart.City(name: name, country: country)
          context.insert(city)
          try context.save()
          context.insert(Apart.Street(name: "Via Appia", city: city))
        }
      }
      context.insert(Apart.Street(name: "Via Salaria", city: try context.all(Apart.City.self).last))
    }
    return store
  }

  @Test(arguments: [MigrationOptions.Duplicates.keepFirst, .keepLast])
  func whatBecomesAlikeBecomesOneToo(_ duplicates: MigrationOptions.Duplicates) throws {
    let store = try store()
    try store.open(
      Together.Country.self, Together.City.self, Together.Street.self, options: MigrationOptions(duplicates: duplicates)
    ) { context in
      let countries = try context.all(Together.Country.self).map(\.name)
      #expect(countries == ["Italy"])
      let cities = try context.all(Together.City.self).map { "\($0.name) in \($0.country?.name ?? "nothing")" }
      #expect(cities.sorted() == ["Pisa in Italy", "Rome in Italy"])
      let streets = try context.all(Together.Street.self).map { "\($0.name) in \($0.city?.name ?? "nothing")" }
      #expect(streets.sorted().filter { $0.hasPrefix("Via Appia") } == ["Via Appia in Pisa", "Via Appia in Rome"])
      #expect(streets.count == 3)
    }
    let indexes = try store.strings("SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE '%unique%'")
    #expect(
      indexes.sorted() == [
        "larder_unique_City(name,country)", "larder_unique_Country(name)", "larder_unique_Street(name,city)",
      ])
  }

  @Test func anIndexThatWasMadeByHandIsNamed() throws {
    let store = try store()
    try store.execute("DELETE FROM Street; DELETE FROM City WHERE name = 'Rome'; UPDATE City SET name = larder_id")
    try store.execute("CREATE UNIQUE INDEX mine ON City (country)")
    let before = store.bytes
    let error =
      store.failure(
        Together.Country.self, Together.City.self, options: MigrationOptions(duplicates: .keepFirst)) as? StoreError
    #expect(error?.code == .duplicateValues)
    #expect(error?.explanation.contains("City") == true)
    #expect(store.bytes == before)
  }
}
