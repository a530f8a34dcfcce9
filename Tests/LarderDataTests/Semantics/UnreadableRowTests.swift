import Foundation
import SwiftData
import Testing

@testable import LarderData

/// A type that has gained a member which it requires; that it has its own coding keeps it from being a composite.
struct Stamping: Codable, Hashable {
  var place: String
  var gained: Int

  init(place: String, gained: Int) { (self.place, self.gained) = (place, gained) }
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    place = try values.decode(String.self, forKey: .place)
    gained = try values.decode(Int.self, forKey: .gained)
  }
}

@Model
final class Parchment {
  var number: Int
  var stamping: [Stamping]

  init(number: Int) {
    self.number = number
    stamping = [Stamping(place: "Bergen", gained: number)]
  }
}

@Suite struct UnreadableRowTests {
  private func damaged(_ place: StoreLocation) throws -> TestStore {
    let store = try TestStore(place, Parchment.self)
    _ = try store.saved((0..<5).map { Parchment(number: $0) })
    try store.execute(#"UPDATE Parchment SET stamping = '[{"place":"Oslo"}]' WHERE number = 3"#)
    return store
  }

  @Test(arguments: StoreLocation.allCases)
  func theErrorNamesRowAndProperty(_ place: StoreLocation) throws {
    let store = try damaged(place)
    let error = try #require(throws: FetchError.self) { try store.context().fetch(FetchDescriptor<Parchment>()) }
    let other = store.context()
    let row = try #require(
      try other.fetchIdentifiers(FetchDescriptor<Parchment>(predicate: #Predicate { $0.number == 3 })).first)
    #expect(error.code == .unreadableValue)
    #expect(error.entityName == "Parchment")
    #expect(error.identifier == row)
    #expect(error.property == "stamping")
    // What was expected, what was found, and what to do.
    for part in [
      "Parchment.stamping", "Array<Stamping>", "gained", "decodeIfPresent", "fetchIdentifiers", "integrityCheck",
    ] {
      #expect(error.explanation.contains(part), "\(part): \(error.explanation)")
    }
  }

  /// What the error says to do, done.
  @Test(.directly("another store gives whole snapshots"), arguments: StoreLocation.allCases)
  func theOtherRowsAreReadAsTheErrorSays(_ place: StoreLocation) throws {
    let store = try damaged(place)
    let context = store.context()
    var (numbers, unreadable): ([Int], [PersistentIdentifier]) = ([], [])
    for identifier in try context.fetchIdentifiers(FetchDescriptor<Parchment>(sortBy: [SortDescriptor(\.number)])) {
      do {
        numbers.append(try context.existingModel(for: identifier, as: Parchment.self).number)
      } catch let error as FetchError where error.code == .unreadableValue {
        unreadable.append(identifier)
      }
    }
    #expect(numbers == [0, 1, 2, 4])
    #expect(unreadable.count == 1)
    let problems = try store.container.integrityCheck()
    #expect(problems.map(\.kind) == [.unreadableValue])
    // The row can be deleted, and then all of them are read.
    let row = try #require(unreadable.first)
    try context.delete(model: Parchment.self, where: #Predicate { $0.persistentModelID == row })
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Parchment>()).count == 4)
  }
}
