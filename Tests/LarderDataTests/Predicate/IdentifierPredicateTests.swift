import Foundation
import LarderData
import SwiftData
import Testing

/// Identifiers in predicates.
@Suite struct IdentifierPredicateTests {
  @Test(arguments: StoreLocation.allCases)
  func oneIdentifier(_ place: StoreLocation) throws {
    let store = try TestStore(place, Parcel.self, Crate.self)
    let context = store.context()
    let parcels = (0..<5).map { Parcel($0) }
    for parcel in parcels { context.insert(parcel) }
    func numbers(_ predicate: Predicate<Parcel>) throws -> [Int] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])).map(\.number)
    }
    for half in ["pending", "stored"] {
      let id = parcels[2].persistentModelID
      #expect(try numbers(#Predicate { $0.persistentModelID == id }) == [2], "\(half)")
      #expect(try numbers(#Predicate { $0.id == id }) == [2], "\(half)")
      #expect(try numbers(#Predicate { $0.persistentModelID != id }) == [0, 1, 3, 4], "\(half)")
      #expect(try numbers(#Predicate { id == $0.persistentModelID && $0.number > 2 }) == [], "\(half)")
      #expect(try numbers(#Predicate { ($0.number > 3 ? $0.id : id) == id }) == [0, 1, 2, 3], "\(half)")
      try context.save()
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func strangersMatchNothing(_ place: StoreLocation) throws {
    let (store, other) = (try TestStore(place, Parcel.self, Crate.self), try TestStore(place, Parcel.self))
    let (context, elsewhere) = (store.context(), other.context())
    for number in 0..<3 {
      context.insert(Parcel(number))
      elsewhere.insert(Parcel(number))
      context.insert(Crate(number: number))
    }
    try context.save()
    try elsewhere.save()
    let foreign = try elsewhere.fetchIdentifiers(FetchDescriptor<Parcel>())
    let crates = try context.fetchIdentifiers(FetchDescriptor<Crate>())
    let temporary = [Parcel(9).persistentModelID]
    for id in foreign + crates + temporary {
      #expect(try context.fetchCount(FetchDescriptor<Parcel>(predicate: #Predicate { $0.id == id })) == 0)
      let ids = [id]
      #expect(try context.fetchCount(FetchDescriptor<Parcel>(predicate: #Predicate { ids.contains($0.id) })) == 0)
      #expect(try context.fetchCount(FetchDescriptor<Parcel>(predicate: #Predicate { $0.id != id })) == 3)
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func manyIdentifiers(_ place: StoreLocation) throws {
    let store = try TestStore(place, Parcel.self)
    let context = store.context()
    for number in 0..<100 { context.insert(Parcel(number)) }
    try context.save()
    let known = try context.fetchIdentifiers(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.number)]))
    let store0 = try #require(known[0].storeIdentifier)
    let unknown = try (0..<100_000).map {
      try PersistentIdentifier.identifier(for: store0, entityName: "Parcel", primaryKey: 1_000_000 + $0)
    }
    let ids = Set(known[10..<20] + unknown)
    let found = FetchDescriptor<Parcel>(
      predicate: #Predicate { ids.contains($0.persistentModelID) }, sortBy: [SortDescriptor(\.number)])
    #expect(try context.fetch(found).map(\.number) == Array(10..<20))
    let none: [PersistentIdentifier] = []
    #expect(try context.fetchCount(FetchDescriptor<Parcel>(predicate: #Predicate { none.contains($0.id) })) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Parcel>(predicate: #Predicate { !ids.contains($0.id) })) == 90)
  }

  @Test(arguments: StoreLocation.allCases)
  func aliasesAfterAnUpsert(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    context.insert(Sensor("a"))
    try context.save()
    let second = store.context()
    let again = Sensor("a")
    second.insert(again)
    let id = again.persistentModelID
    try second.save()
    let found = try second.fetch(FetchDescriptor<Sensor>(predicate: #Predicate { $0.persistentModelID == id }))
    #expect(found.map(\.code) == ["a"])
    let ids = [id]
    #expect(try second.fetchCount(FetchDescriptor<Sensor>(predicate: #Predicate { ids.contains($0.id) })) == 1)
  }
}
