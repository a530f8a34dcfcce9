import Foundation
import LarderData
import SwiftData
import Testing

/// Steps around inserts that turned out to be rows which were there.
@Suite struct UndoUpsertTests {
  @Model
  final class Keyed {
    @Attribute(.unique) var key: Int
    @Relationship(inverse: \KeyedGroup.members) var groups: [KeyedGroup] = []
    init(_ key: Int) { self.key = key }
  }

  @Model
  final class KeyedGroup {
    var members: [Keyed] = []
    init() {}
  }

  /// The insert cannot be taken back. What is deleted later can be deleted again.
  @Test(arguments: StoreLocation.allCases)
  func deletionOfARowThatAnInsertHasMetIsRedone(_ place: StoreLocation) throws {
    let store = try TestStore(place, Keyed.self, KeyedGroup.self)
    _ = try store.saved([Keyed(1)])
    let (context, manager) = store.undoing()
    manager.groupsByEvent = false
    context.insert(Keyed(1))
    context.processPendingChanges()
    try context.save()
    let one = try #require(try context.all(Keyed.self).first)
    context.delete(one)
    context.processPendingChanges()
    manager.undo()
    #expect(try context.fetchCount(FetchDescriptor<Keyed>()) == 1)
    manager.redo()
    #expect(try context.fetchCount(FetchDescriptor<Keyed>()) == 0)
    manager.undo()
    // The insert's own step leaves the row where it is.
    manager.undo()
    #expect(try context.fetchCount(FetchDescriptor<Keyed>()) == 1)
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Keyed>()) == 1)
  }

  /// A list that held an insert and the row which that has met has had the row once.
  @Test(arguments: StoreLocation.allCases)
  func listThatHeldAnInsertAndItsRowIsRestored(_ place: StoreLocation) throws {
    let store = try TestStore(place, Keyed.self, KeyedGroup.self)
    let (context, manager) = store.undoing()
    manager.groupsByEvent = false
    let group = KeyedGroup()
    context.insert(group)
    group.members = [Keyed(1), Keyed(2)]
    try context.save()
    let same = Keyed(1)
    context.insert(same)
    group.members.append(same)
    context.processPendingChanges()
    group.members = []
    context.processPendingChanges()
    try context.save()
    manager.undo()
    #expect(group.members.map(\.key).sorted() == [1, 2])
    try context.save()
    let stored = try #require(try store.context().all(KeyedGroup.self).first)
    #expect(stored.members.map(\.key).sorted() == [1, 2])
  }

  /// A list that was shown with a row, and that an insert with the row's key joins, was shown with the row once.
  @Test(arguments: StoreLocation.allCases)
  func insertThatMeetsAMemberIsShownOnce(_ place: StoreLocation) throws {
    let store = try TestStore(place, Keyed.self, KeyedGroup.self)
    let (context, _) = store.undoing()
    let group = KeyedGroup()
    context.insert(group)
    group.members = [Keyed(7)]
    try context.save()
    #expect(group.members.count == 1)
    let other = store.context()
    let theirs = try #require(try other.all(KeyedGroup.self).first)
    theirs.members.append(Keyed(8))
    try other.save()
    _ = try context.all(Keyed.self)
    let same = Keyed(7)
    context.insert(same)
    same.groups.append(group)
    try context.save()
    #expect(group.members.map(\.key).sorted() == [7, 8])
    #expect(try store.context().all(KeyedGroup.self).first?.members.map(\.key).sorted() == [7, 8])
  }
}
