import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

@Model final class SealedHub {
  @Attribute(.unique) var key: String
  @Relationship(deleteRule: .cascade, inverse: \HubSeal.hub) var seal: HubSeal?
  init(_ key: String) { self.key = key }
}

@Model class GateSeal {
  var text: String
  var gate: SealedGate?
  init(_ text: String) { self.text = text }
}

@Model final class WaxSeal: GateSeal {
  var colour = "red"
  override init(_ text: String) { super.init(text) }
}

@Model final class SealedGate {
  @Attribute(.unique) var key: String
  @Relationship(inverse: \GateSeal.gate) var seal: GateSeal?
  init(_ key: String) { self.key = key }
}

@Model final class HubSeal {
  var text: String
  var hub: SealedHub?
  init(_ text: String) { self.text = text }
}

@Model final class SealedDesk {
  @Attribute(.unique) var key: String
  @Relationship(inverse: \DeskSeal.desk) var seal: DeskSeal?
  init(_ key: String) { self.key = key }
}

@Model final class DeskSeal {
  @Attribute(.unique) var text: String
  var desk: SealedDesk
  init(_ text: String, _ desk: SealedDesk) {
    self.text = text
    self.desk = desk
  }
}

@Model final class Twin {
  @Attribute(.unique) var name: String
  @Relationship(inverse: Twin.others) var other: Twin?
  // The macro cannot name the property that it stands at.
  static var others: AnyKeyPath { \Twin.other }
  init(_ name: String) { self.name = name }
}

/// An insert that becomes a row which is there, and the one that each of them is one to one with.
@Suite struct UnitedOneToOneTests {
  private func holders(_ store: TestStore) throws -> [[_StoredValue]] {
    try store.rows("SELECT text, hub FROM HubSeal ORDER BY text")
  }

  @Test(.directly("what others saved is read before the save, and nothing is wrong"), arguments: StoreLocation.allCases)
  func theFormerOneMakesWay(_ place: StoreLocation) throws {
    let store = try TestStore(place, SealedHub.self, HubSeal.self)
    let (theirs, mine) = (store.context(), store.context())
    let first = SealedHub("k")
    theirs.insert(first)
    let former = HubSeal("former")
    first.seal = former
    try theirs.save()
    let token = try mine.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token
    let second = SealedHub("k")
    mine.insert(second)
    second.seal = HubSeal("new")
    try mine.save()
    #expect(try holders(store) == [[.text("former"), .null], [.text("new"), .integer(1)]])
    #expect(try store.value("SELECT count(*) FROM SealedHub") == .integer(1))
    #expect(second.seal?.text == "new")
    // Others are told.
    _ = try theirs.fetch(FetchDescriptor<HubSeal>())
    #expect(former.hub == nil)
    #expect(first.seal?.text == "new")
    // So is the history.
    let transactions = try mine.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let last = try #require(transactions.last)
    #expect(last.token != token)
    let changed = last.changes.compactMap { change -> String? in
      guard case .update(let update) = change else { return nil }
      return update.changedPersistentIdentifier.entityName
    }
    #expect(changed.contains("HubSeal"))
    #expect(try store.container.integrityCheck().isEmpty)
  }

  /// The former one is in hand, and somebody may have edited it in the same save.
  @Test(arguments: [false, true]) func inOneContext(_ isEdited: Bool) throws {
    let store = try TestStore(.memory, SealedHub.self, HubSeal.self)
    let context = store.context()
    let first = SealedHub("k")
    context.insert(first)
    let former = HubSeal("former")
    first.seal = former
    try context.save()
    if isEdited { former.text = "edited" }
    let second = SealedHub("k")
    context.insert(second)
    let new = HubSeal("new")
    second.seal = new
    try context.save()
    #expect(former.hub == nil)
    #expect(new.hub === first)
    #expect(first.seal === new)
    #expect(try holders(store) == [[.text(isEdited ? "edited" : "former"), .null], [.text("new"), .integer(1)]])
    // The former one's version is known: it can be edited and saved.
    former.text = "later"
    try context.save()
    #expect(try holders(store) == [[.text("later"), .null], [.text("new"), .integer(1)]])
    #expect(!context.hasChanges)
  }

  @Test func theLastOfSeveralInsertsHasIt() throws {
    let store = try TestStore(.memory, SealedHub.self, HubSeal.self)
    let context = store.context()
    let seals = ["a", "b", "c"].map { HubSeal($0) }
    for seal in seals {
      let hub = SealedHub("k")
      context.insert(hub)
      hub.seal = seal
    }
    try context.save()
    #expect(try holders(store) == [[.text("a"), .null], [.text("b"), .null], [.text("c"), .integer(1)]])
    #expect(seals.map { $0.hub?.seal?.text } == [nil, nil, "c"])
    seals[0].text = "z"
    try context.save()
    #expect(try holders(store) == [[.text("b"), .null], [.text("c"), .integer(1)], [.text("z"), .null]])
  }

  /// An insert with nothing at that end leaves the one that is there, as it leaves members of lists.
  @Test func anInsertWithNoneLeavesTheFormerOne() throws {
    let store = try TestStore(.memory, SealedHub.self, HubSeal.self)
    let context = store.context()
    let first = SealedHub("k")
    context.insert(first)
    first.seal = HubSeal("former")
    try context.save()
    context.insert(SealedHub("k"))
    try context.save()
    #expect(try holders(store) == [[.text("former"), .integer(1)]])
    #expect(first.seal?.text == "former")
  }

  @Test(.directly("a data store decides itself what an insert is"))
  func oneThatMayNotBeWithoutKeepsItsPlace() throws {
    let store = try TestStore(.memory, SealedDesk.self, DeskSeal.self)
    let (theirs, mine) = (store.context(), store.context())
    let desk = SealedDesk("k")
    theirs.insert(desk)
    theirs.insert(DeskSeal("former", desk))
    try theirs.save()
    mine.insert(DeskSeal("new", SealedDesk("k")))
    let error = #expect(throws: SaveError.self) { try mine.save() }
    #expect(error?.code == .uniquenessConflict)
    #expect(error?.entityName == "DeskSeal")
    #expect(try store.rows("SELECT text, desk FROM DeskSeal") == [[.text("former"), .integer(1)]])
    mine.rollback()
    #expect(!mine.hasChanges)
    // The same seal again is no other.
    mine.insert(DeskSeal("former", SealedDesk("k")))
    try mine.save()
    #expect(try store.rows("SELECT text, desk FROM DeskSeal") == [[.text("former"), .integer(1)]])
  }

  /// The insert has the column itself: what it leads to is let go by who led there.
  @Test(.directly("a data store decides itself what an insert is"))
  func theRowItselfLeadsElsewhere() throws {
    let store = try TestStore(.memory, SealedDesk.self, DeskSeal.self)
    let theirs = store.context()
    let (one, two) = (SealedDesk("1"), SealedDesk("2"))
    theirs.insert(DeskSeal("s", one))
    theirs.insert(two)
    try theirs.save()
    let mine = store.context()
    let desk = try #require(try mine.fetch(FetchDescriptor<SealedDesk>(predicate: #Predicate { $0.key == "2" })).first)
    mine.insert(DeskSeal("s", desk))
    try mine.save()
    #expect(
      try store.rows("SELECT s.text, d.key FROM DeskSeal s JOIN SealedDesk d ON d.larder_id = s.desk")
        == [[.text("s"), .text("2")]])
    _ = try theirs.fetch(FetchDescriptor<DeskSeal>())
    #expect(one.seal == nil)
    #expect(two.seal?.text == "s")
  }

  @Test(.directly("a data store decides itself what an insert is"))
  func oneThatIsTheOthersOther() throws {
    let store = try TestStore(.memory, Twin.self)
    let theirs = store.context()
    let a = Twin("a")
    theirs.insert(a)
    a.other = Twin("b")
    try theirs.save()
    let mine = store.context()
    let again = Twin("a")
    mine.insert(again)
    again.other = Twin("c")
    try mine.save()
    #expect(
      try store.rows("SELECT t.name, o.name FROM Twin t LEFT JOIN Twin o ON o.larder_id = t.other ORDER BY t.name")
        == [[.text("a"), .text("c")], [.text("b"), .null], [.text("c"), .text("a")]])
    let twins = try theirs.fetch(FetchDescriptor<Twin>(sortBy: [SortDescriptor(\.name)]))
    #expect(twins.map { $0.other?.name } == ["c", nil, "a"])
  }

  /// One of two that are each other's becomes nobody's by an insert with none, as its to-ones do; so does the other.
  @Test(.directly("a data store decides itself what an insert is"))
  func anInsertWithNoneLeavesNobodyLeadingToIt() throws {
    let store = try TestStore(.memory, Twin.self)
    let context = store.context()
    let (a, b) = (Twin("a"), Twin("b"))
    context.insert(a)
    a.other = b
    try context.save()
    context.insert(Twin("a"))
    try context.save()
    #expect(try store.rows("SELECT other FROM Twin") == [[.null], [.null]])
    #expect(a.other == nil && b.other == nil)
    #expect(try store.container.integrityCheck() == [])
  }

  /// What makes way is of a class below the one that the relationship leads to, and is told as that.
  @Test(.directly("a data store decides itself what an insert is"), arguments: [false, true])
  func oneOfASubclassMakesWay(_ isMoved: Bool) throws {
    let store = try TestStore(.memory, SealedGate.self, GateSeal.self, WaxSeal.self)
    let context = store.context()
    let gate = SealedGate("k")
    context.insert(gate)
    let wax = WaxSeal("wax")
    context.insert(wax)
    if !isMoved { gate.seal = wax }
    try context.save()
    if isMoved { gate.seal = wax }
    let again = SealedGate("k")
    context.insert(again)
    again.seal = GateSeal("new")
    try context.save()
    #expect(
      try store.rows("SELECT text, gate IS NULL FROM GateSeal ORDER BY text")
        == [[.text("new"), .integer(0)], [.text("wax"), .integer(1)]])
    #expect(wax.gate == nil)
    #expect(gate.seal?.text == "new")
    wax.text = "later"
    try context.save()
    let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).dropLast().last)
    #expect(last.changes.contains { "\($0)".hasPrefix("update WaxSeal ") })
    #expect(!last.changes.contains { "\($0)".hasPrefix("update GateSeal ") })
  }

  /// Others lead something to what an insert leads to, after this context has looked.
  @Test(.directly("one context of a data store writes at a time"))
  func whatOthersLedThereMakesWayForAnInsertThatMeetsARow() throws {
    let store = try TestStore(.memory, SealedHub.self, HubSeal.self, SealedDesk.self, DeskSeal.self)
    let setup = store.context()
    setup.insert(SealedHub("k"))
    try setup.save()
    let mine = store.context()
    let hub = try #require(try mine.fetch(FetchDescriptor<SealedHub>()).first)
    hub.seal = HubSeal("mine")
    mine.insert(SealedHub("k"))
    let theirs = store.context()
    let same = try #require(try theirs.fetch(FetchDescriptor<SealedHub>()).first)
    same.seal = HubSeal("theirs")
    try theirs.save()
    try mine.save()
    #expect(try store.value("SELECT count(*) FROM HubSeal WHERE hub = 1") == .integer(1))
    #expect(try store.value("SELECT text FROM HubSeal WHERE hub = 1") == .text("mine"))
  }

  /// What another program has written so is found, by the columns alone.
  @Test(arguments: StoreLocation.allCases) func contradictoryEndsAreFound(_ place: StoreLocation) throws {
    let store = try TestStore(place, SealedHub.self, HubSeal.self, Twin.self)
    let context = store.context()
    let hub = SealedHub("k")
    context.insert(hub)
    hub.seal = HubSeal("a")
    for text in ["b", "c"] { context.insert(HubSeal(text)) }
    let twin = Twin("a")
    context.insert(twin)
    twin.other = Twin("b")
    try context.save()
    #expect(try store.container.integrityCheck() == [])
    try store.execute("UPDATE HubSeal SET hub = 1 WHERE text <> 'c'; UPDATE Twin SET other = NULL WHERE name = 'b'")
    let problems = try store.container.integrityCheck()
    #expect(problems.map(\.kind) == [.inconsistentInverse, .inconsistentInverse, .inconsistentInverse])
    #expect(problems.map(\.entityName) == ["HubSeal", "HubSeal", "Twin"])
    let rows = try ["a", "b"].map { try store.value("SELECT larder_id FROM HubSeal WHERE text = '\($0)'") }
    #expect(problems.prefix(2).map { $0.row.map { .integer($0) } } == rows)
    #expect(problems.last?.explanation.contains("does not refer to it") == true)
    try store.execute("UPDATE HubSeal SET hub = NULL WHERE text = 'b'; UPDATE Twin SET other = NULL")
    #expect(try store.container.integrityCheck() == [])
  }
}
