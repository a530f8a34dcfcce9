import Foundation
import LarderData
import SwiftData
import Testing

enum UnmovedMembers {
  @Model
  final class Workshop {
    var name: String
    @Relationship(inverse: \Gadget.workshop) var gadgets: [Gadget] = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Gadget {
    @Attribute(.unique) var code: String
    var price: Int
    var workshop: Workshop?

    init(_ code: String, price: Int = 0) {
      self.code = code
      self.price = price
    }
  }
}

/// Inserts that turn out to be rows that are in an owner's list, and what is told of the owner.
@Suite struct UnmovedMemberTests {
  private typealias Workshop = UnmovedMembers.Workshop
  private typealias Gadget = UnmovedMembers.Gadget

  /// A workshop with three gadgets, and one without.
  private func store(_ place: StoreLocation) throws -> TestStore {
    let store = try TestStore(place, Workshop.self, Gadget.self)
    let full = Workshop(name: "full")
    full.gadgets = ["1", "2", "3"].map { Gadget($0) }
    _ = try store.saved([full, Workshop(name: "empty")])
    return store
  }

  private func workshop(_ name: String, _ context: ModelContext) throws -> Workshop {
    try #require(try context.all(Workshop.self).first { $0.name == name })
  }

  private func codes(_ name: String, _ store: TestStore) throws -> [String] {
    try workshop(name, store.context()).gadgets.map(\.code)
  }

  @Test(.directly("it looks at what an SQLite store records"), arguments: StoreLocation.allCases, [true, false])
  func anOwnerThatTheRowHasAlreadyIsNotTold(_ place: StoreLocation, _ isRead: Bool) throws {
    let store = try store(place)
    let context = store.context()
    let owner = try workshop("full", context)
    let held = isRead ? owner.gadgets : []
    let orders = try store.rows("SELECT * FROM Gadget ORDER BY code")
    for price in [0, 9] {
      let again = Gadget("2", price: price)
      again.workshop = owner
      context.insert(again)
      try context.save()
      // The first has all that the row has.
      let told = try context.history().dropFirst().map { $0.changes.map(\.summary) }
      #expect(told == (price == 0 ? [] : [["update Gadget code price workshop"]]))
      #expect(owner.gadgets.map(\.code) == ["1", "2", "3"])
      #expect(try codes("full", store) == ["1", "2", "3"])
    }
    #expect(held.isEmpty || held[1].price == 9)
    let after = try store.rows("SELECT * FROM Gadget ORDER BY code")
    #expect(after[0] == orders[0] && after[2] == orders[2])
    #expect(!context.hasChanges)
  }

  @Test(.directly("it looks at what an SQLite store records"), arguments: StoreLocation.allCases, [true, false])
  func anOwnerThatTheRowComesToIsTold(_ place: StoreLocation, _ isRead: Bool) throws {
    let store = try store(place)
    let context = store.context()
    let owner = try workshop("empty", context)
    if isRead { #expect(owner.gadgets.isEmpty) }
    let again = Gadget("2")
    again.workshop = owner
    context.insert(again)
    try context.save()
    #expect(
      try #require(try context.history().last).changes.map(\.summary)
        == ["update Gadget code price workshop", "update Workshop gadgets"])
    #expect(try codes("full", store) == ["1", "3"] && codes("empty", store) == ["2"])
    #expect(owner.gadgets.map(\.code) == ["2"])
  }

  @Test(.directly("it looks at what an SQLite store records"), arguments: StoreLocation.allCases, [true, false])
  func whatElseEntersTheListIsTold(_ place: StoreLocation, _ isRead: Bool) throws {
    let store = try store(place)
    let context = store.context()
    let owner = try workshop("full", context)
    if isRead { #expect(owner.gadgets.count == 3) }
    for gadget in [Gadget("2", price: 9), Gadget("4")] {
      gadget.workshop = owner
      context.insert(gadget)
    }
    try context.save()
    #expect(
      try #require(try context.history().last).changes.map(\.summary)
        == ["insert Gadget", "update Gadget code price workshop", "update Workshop gadgets"])
    #expect(try codes("full", store) == ["1", "2", "3", "4"])
    #expect(owner.gadgets.map(\.code) == ["1", "2", "3", "4"])
  }
}
