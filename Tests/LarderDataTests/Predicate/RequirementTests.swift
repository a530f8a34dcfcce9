import Foundation
import SwiftData
import Testing

@testable import LarderData

protocol Coded: PersistentModel {
  var key: String { get set }
}

protocol Titled {
  var title: String { get }
}

protocol Described: Titled {
  var summary: String { get }
}

protocol Owned {
  associatedtype Holder: Coded
  var holder: Holder? { get }
  var origin: Origin { get }
}

struct Origin: Codable, Hashable {
  var city: String
  var year: Int
}

@Model
final class Collector: Coded {
  var key: String

  init(key: String) { self.key = key }
}

@Model
final class Medal: Coded, Described, Owned {
  var key: String
  var title: String
  var holder: Collector?
  var origin: Origin
  /// Computed, and of the same place in its protocol as a stored one in another.
  var summary: String { title.uppercased() }

  init(key: String, title: String, city: String) {
    self.key = key
    self.title = title
    origin = Origin(city: city, year: 1900)
  }
}

extension Coded {
  fileprivate static func count(_ key: String, in context: ModelContext) throws -> Int {
    try context.fetchCount(FetchDescriptor<Self>(predicate: #Predicate<Self> { $0.key == key }))
  }
}

/// Predicates of generic functions, over what a protocol requires: `\Row.key` names no property of a class.
@Suite struct RequirementTests {
  private func context(_ place: StoreLocation, isSaved: Bool) throws -> (TestStore, ModelContext) {
    let store = try TestStore(place, Medal.self, Collector.self)
    let context = store.context()
    let holder = Collector(key: "anna")
    context.insert(holder)
    for (number, city) in ["Rome", "Oslo", "Rome"].enumerated() {
      let stamp = Medal(key: "k\(number)", title: "t\(number)", city: city)
      context.insert(stamp)
      if number == 2 { stamp.holder = holder }
    }
    if isSaved { try context.save() }
    return (store, context)
  }

  private func find<Row: Coded>(_ key: String, in context: ModelContext) throws -> [Row] {
    try context.fetch(FetchDescriptor<Row>(predicate: #Predicate { $0.key == key }))
  }

  private func find<Row: PersistentModel & Described>(
    _ type: Row.Type, title: String, summary: String, in context: ModelContext
  ) throws -> [Int] {
    [
      try context.fetchCount(FetchDescriptor<Row>(predicate: #Predicate { $0.title == title })),
      try context.fetchCount(FetchDescriptor<Row>(predicate: #Predicate { $0.summary == summary })),
      try context.fetchCount(FetchDescriptor<Row>(predicate: #Predicate { $0.title == summary })),
    ]
  }

  private func find<Row: PersistentModel & Owned>(
    _ type: Row.Type, city: String, holder: String, in context: ModelContext
  ) throws -> [Int] {
    [
      try context.fetchCount(FetchDescriptor<Row>(predicate: #Predicate { $0.origin.city == city })),
      try context.fetchCount(FetchDescriptor<Row>(predicate: #Predicate { $0.holder?.key == holder })),
      try context.fetchCount(FetchDescriptor<Row>(predicate: #Predicate { $0.holder == nil })),
    ]
  }

  @Test(arguments: StoreLocation.allCases, [false, true])
  func whatAProtocolRequiresCanBeAsked(_ place: StoreLocation, _ isSaved: Bool) throws {
    let (_, context) = try context(place, isSaved: isSaved)
    let found: [Medal] = try find("k1", in: context)
    #expect(found.map(\.title) == ["t1"])
    #expect(try Medal.count("k2", in: context) == 1)
    #expect(try Collector.count("anna", in: context) == 1)
    #expect(try Collector.count("k2", in: context) == 0)
    // Of two requirements that stand at one place in their protocols, each is asked.
    #expect(try find(Medal.self, title: "t0", summary: "T0", in: context) == [1, 1, 0])
    #expect(try find(Medal.self, city: "Rome", holder: "anna", in: context) == [2, 1, 2])
  }

  @Test(arguments: StoreLocation.allCases)
  func editsCount(_ place: StoreLocation) throws {
    let (_, context) = try context(place, isSaved: true)
    let found: [Medal] = try find("k1", in: context)
    found.first?.key = "other"
    #expect(try (find("k1", in: context) as [Medal]).isEmpty)
    #expect(try (find("other", in: context) as [Medal]).count == 1)
  }

  private func deleteAll<Row: Coded>(_ type: Row.Type, _ key: String, in context: ModelContext) throws {
    try context.delete(model: Row.self, where: #Predicate<Row> { $0.key == key })
  }

  @Test(arguments: StoreLocation.allCases)
  func rowsAreDeleted(_ place: StoreLocation) throws {
    let (_, context) = try context(place, isSaved: true)
    try deleteAll(Medal.self, "k1", in: context)
    #expect(try context.fetch(FetchDescriptor<Medal>(sortBy: [SortDescriptor(\.key)])).map(\.key) == ["k0", "k2"])
  }

  private func raise<Row: Coded>(_ type: Row.Type, in context: ModelContext) throws {
    _ = try context.updateAndSave(Row.self) { $0.set(\.key, to: "raised") }
  }

  /// What is written needs a column: the error says what to write instead.
  @Test func updatesSayWhatToWrite() throws {
    let (_, context) = try context(.memory, isSaved: true)
    let error = try #require(throws: FetchError.self) { try raise(Medal.self, in: context) }
    #expect(error.code == .invalidAggregate)
    #expect(error.explanation.contains(#"\Medal.key"#))
  }
}
