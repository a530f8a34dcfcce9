import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Observers that use the context, told of what a rollback, a save, a fetch or a merge did to objects.
@Suite(.serialized) struct ObserversMeanwhileTests: BreakingAgain {
  private func filled(_ place: StoreLocation, _ count: Int) throws -> (TestStore, ModelContext, [Crate]) {
    let store = try TestStore(place, Crate.self, Sensor.self)
    _ = try store.saved((0..<count).map { Crate(number: $0, text: "old", note: "old") })
    let context = store.context()
    return (store, context, try context.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)])))
  }

  private func texts(_ store: TestStore) throws -> [_StoredValue] {
    try store.rows("SELECT text FROM Crate ORDER BY number").map { $0[0] }
  }

  private func edit(_ store: TestStore, _ body: (Crate) -> Void) throws {
    let other = store.context()
    for crate in try all(other, Crate.self) { body(crate) }
    try other.save()
  }

  enum Doing: CaseIterable { case save, rollback, fetch, delete, insert }

  @Test(arguments: StoreLocation.allCases, Doing.allCases)
  func observerOfARollbackUsesTheContext(_ place: StoreLocation, _ doing: Doing) throws {
    let (store, context, crates) = try filled(place, 2)
    for crate in crates { crate.text = "mine" }
    var seen: [String] = []
    whenChanged(crates[0].text) {
      seen = crates.map(\.text)
      switch doing {
      case .save: try? context.save()
      case .rollback: context.rollback()
      case .fetch: _ = try? context.fetch(FetchDescriptor<Crate>())
      case .delete: context.delete(crates[1])
      case .insert: context.insert(Crate(number: 7, text: "new"))
      }
    }
    context.rollback()
    // It sees what has become of all of them.
    #expect(seen == ["old", "old"])
    #expect(context.hasChanges == (doing == .delete || doing == .insert))
    try context.save()
    let stored: [_StoredValue] = doing == .delete ? [.text("old")] : [.text("old"), .text("old")]
    #expect(try texts(store) == stored + (doing == .insert ? [.text("new")] : []))
  }

  @Test(arguments: StoreLocation.allCases) func whatAnObserverOfARollbackEditsIsSaved(_ place: StoreLocation) throws {
    let (store, context, crates) = try filled(place, 2)
    crates[0].text = "mine"
    whenChanged(crates[0].text) { crates[1].text = "seen" }
    context.rollback()
    #expect(context.hasChanges && crates.map(\.text) == ["old", "seen"])
    crates[1].text = "final"
    try context.save()
    #expect(try texts(store) == [.text("old"), .text("final")])
  }

  @Test(arguments: StoreLocation.allCases) func observerEditsWhatTheStoreHasJustWon(_ place: StoreLocation) throws {
    let (store, context, crates) = try filled(place, 1)
    context.mergePolicy = .mergeByPropertyStoreTrump
    crates[0].text = "mine"
    whenChanged(crates[0].text) { crates[0].number = 5 }
    try edit(store) { $0.text = "theirs" }
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(context.changedModelsArray.count == 1)
    try context.save()
    #expect(try store.rows("SELECT number, text FROM Crate") == [[.integer(5), .text("theirs")]])
  }

  @Test(arguments: StoreLocation.allCases) func whatAnObserverOfASaveEditsIsSavedByTheNext(_ place: StoreLocation)
    throws
  {
    let store = try TestStore(place, Sensor.self, Crate.self)
    _ = try store.saved([Sensor("a"), Crate(number: 0, text: "old"), Crate(number: 1, text: "old")])
    let context = store.context()
    let sensor = try #require(try all(context, Sensor.self).first)
    let crates = try context.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)]))
    whenChanged(sensor.label) { crates[1].text = "seen" }
    crates[0].text = "mine"
    context.insert(Sensor("a", label: "new"))
    try context.save()
    #expect(context.hasChanges)
    try context.save()
    #expect(crates[1].text == "seen")
    #expect(try texts(store) == [.text("mine"), .text("seen")])
  }

  /// A save by an observer is a save of its own, after the one that it was told of.
  @Test(arguments: StoreLocation.allCases) func observerOfASaveMaySave(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    _ = try store.saved([Sensor("a", label: "old")])
    let context = store.context()
    let sensor = try #require(try all(context, Sensor.self).first)
    nonisolated(unsafe) var saves: [Int] = []
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { note in
      let inserted = note.userInfo?[ModelContext.NotificationKey.insertedIdentifiers.rawValue]
      saves.append((inserted as? [PersistentIdentifier])?.count ?? -1)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    whenChanged(sensor.label) {
      context.insert(Sensor("b"))
      context.insert(Sensor("c"))
      try? context.save()
    }
    context.insert(Sensor("a", label: "new"))
    try context.save()
    #expect(saves == [0, 2])
    #expect(try store.value("SELECT count(*) FROM Sensor") == .integer(3))
  }

  @Test(arguments: StoreLocation.allCases) func observerOfAMergeEditsTheSameObject(_ place: StoreLocation) throws {
    let (store, context, crates) = try filled(place, 1)
    whenChanged(crates[0].text) { crates[0].note = "seen" }
    try edit(store) { $0.text = "theirs" }
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(crates[0].text == "theirs" && crates[0].note == "seen")
    try context.save()
    #expect(try store.value("SELECT note FROM Crate") == .text("seen"))
  }

  @Test(arguments: StoreLocation.allCases) func observerOfAMergeSavesAndFetches(_ place: StoreLocation) throws {
    let (store, context, crates) = try filled(place, 2)
    // The runtime asks an observer again until it has returned.
    var isInside = false
    whenChanged(crates[0].text) {
      guard !isInside else { return }
      isInside = true
      crates[1].text = "mine"
      try? context.save()
      _ = try? context.fetch(FetchDescriptor<Crate>())
    }
    try edit(store) { if $0.number == 0 { $0.text = "theirs" } }
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(try texts(store) == [.text("theirs"), .text("mine")])
    #expect(crates[1].text == "mine")
  }

  @Test(arguments: StoreLocation.allCases) func observerOfAListIsToldOfAnUpsert(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let family = Family(name: "f")
    family.members = [Member(name: "a")]
    let stranger = Family(name: "g")
    stranger.members = [Member(name: "c")]
    _ = try store.saved([family, stranger])
    let context = store.context()
    let held = try families(context)
    func upsert(_ members: [Member]) throws {
      let new = Family(name: "f")
      new.members = members
      context.insert(new)
      try context.save()
    }
    var isTold = false
    let isStrangerTold = try self.isTold(held[1].members.count) {
      isTold = try self.isTold(held[0].members.count) { try upsert([Member(name: "b")]) }
    }
    #expect(isTold && !isStrangerTold)
    #expect(held[0].members.map(\.name) == ["a", "b"])
    // Nothing new.
    isTold = try self.isTold(held[0].members.count) { try upsert([]) }
    #expect(!isTold)
  }

  /// An object that undo brings back has its values, and observers are told once it is whole.
  @Test func observerOfWhatComesBackSeesItWhole() throws {
    let store = try TestStore(.memory, Family.self, Member.self)
    let family = Family(name: "f")
    family.members = [Member(name: "a")]
    let context = try store.saved([family])
    let manager = UndoManager()
    context.undoManager = manager
    let member = family.members[0]
    member.name = "b"
    context.delete(member)
    try context.save()
    var seen: [String] = []
    member.name = "gone"
    whenChanged(member.name) { seen = [member.name, member.family?.name ?? "", "\(member.modelContext === context)"] }
    manager.undo()
    #expect(seen == ["a", "f", "true"])
    #expect(member.name == "a")
  }
}
