import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Synchronization
import Testing

/// Observers and codings that use the context in the midst of its work.
@Suite(.serialized) struct BreakingAgainReentryTests: BreakingAgain {
  private typealias Chest = Again.Chest
  private typealias Trinket = Again.Trinket

  // MARK: Loading

  /// Another program moves a member and forgets to raise its version: instances keep what they have, and all others
  /// are in their lists.
  @Test func memberThatAStrangerMovedHidesNoOther() throws {
    let store = try store(.disk)
    let seed = store.context()
    for name in ["A", "B", "C"] {
      let family = Family(name: name)
      for number in 1...3 { family.members.append(Member(name: "\(name)\(number)", age: number)) }
      seed.insert(family)
    }
    try seed.save()
    let context = store.context()
    let known = try all(context, Member.self)
    let read = try families(context)
    // It comes to stand between two of the former members.
    try store.execute(
      """
      UPDATE Member SET family = (SELECT larder_id FROM Family WHERE name = 'A'),
        larder_family_order = (SELECT larder_family_order FROM Member WHERE name = 'A1') WHERE name = 'B2'
      """)
    let lists = read.map { $0.members.map(\.name).filter { $0 != "B2" } }
    #expect(lists == [["A1", "A2", "A3"], ["B1", "B3"], ["C1", "C2", "C3"]])
    withExtendedLifetime(known) {}
  }

  // MARK: Classes and coding

  /// A value's encoding, in the midst of a save, adds to what is to be saved.
  @Test func encodingAddsToWhatIsSaved() throws {
    let store = try store(.disk)
    let context = store.context()
    let chest = Chest("a")
    context.insert(chest)
    for number in 0..<3 { chest.trinkets.append(Trinket(number)) }
    Again.Sly.whenEncoded = { chest.trinkets.append(Trinket(9)) }
    try context.save()
    Again.Sly.whenEncoded = nil
    try context.save()
    try check(store)
    let fresh = try all(store.context(), Chest.self)[0]
    // Its order was due before it came.
    #expect(Set(fresh.trinkets.map(\.number)) == [0, 1, 2, 9])
    #expect(Set(chest.trinkets.map(\.number)) == [0, 1, 2, 9])
  }

  // MARK: Observers that change what they observe

  /// An observer hears of a change before it is made; what it does then must not make the change one of nobody.
  @Test func observerThatSavesLosesNoEdit() throws {
    let store = try store()
    let context = store.context()
    let member = Member(name: "a")
    context.insert(member)
    try context.save()
    whenChanged(member.name) { try? context.save() }
    member.name = "b"
    #expect(context.hasChanges)
    try context.save()
    #expect(try all(store.context(), Member.self).map(\.name) == ["b"])
  }

  @Test func observerThatRollsBackLosesNoEdit() throws {
    let store = try store()
    let context = store.context()
    let member = Member(name: "a")
    context.insert(member)
    try context.save()
    whenChanged(member.name) { context.rollback() }
    member.name = "b"
    try context.save()
    #expect(try all(store.context(), Member.self).map(\.name) == [member.name])
  }

  @Test func observerOfAListThatSavesLosesNoMember() throws {
    let store = try store()
    let context = store.context()
    let family = Family(name: "f")
    family.members = [Member(name: "a")]
    context.insert(family)
    try context.save()
    whenChanged(family.members) { try? context.save() }
    family.members.append(Member(name: "b"))
    family.members.append(Member(name: "c"))
    #expect(family.members.map(\.name) == ["a", "b", "c"])
    try context.save()
    let names = try stored(store)
    #expect(names == ["a", "b", "c"])
  }

  @Test func observerAppendsToTheSameList() throws {
    let store = try store()
    let context = store.context()
    let family = Family(name: "f")
    let (one, two) = (Member(name: "1"), Member(name: "2"))
    context.insert(family)
    context.insert(one)
    try context.save()
    _ = family.members
    whenChanged(one.family) { family.members.append(two) }
    family.members.append(one)
    for member in [one, two] {
      #expect((member.family === family) == family.members.contains { $0 === member })
    }
    try context.save()
    let read = try stored(store)
    #expect(read == family.members.map(\.name))
  }

  @Test func observerAppendsToTheSameLinkedList() throws {
    let store = try store()
    let context = store.context()
    let course = Course(title: "c")
    let (one, two) = (Student(name: "1"), Student(name: "2"))
    context.insert(course)
    context.insert(one)
    try context.save()
    _ = course.students
    whenChanged(one.courses) { course.students.append(two) }
    course.students.append(one)
    for student in [one, two] {
      #expect(student.courses.contains { $0 === course } == course.students.contains { $0 === student })
    }
    try context.save()
    let read = try all(store.context(), Course.self)[0]
    #expect(read.students.map(\.name) == course.students.map(\.name))
  }

  enum Doing: CaseIterable { case fetch, rollback, save, delete }

  /// What another context saved reaches an instance while it is being fetched, and its observer uses the context.
  @Test(arguments: StoreLocation.allCases, Doing.allCases)
  func observerOfARefreshUsesTheContext(_ place: StoreLocation, _ doing: Doing) throws {
    let store = try store(place)
    let (context, other) = (store.context(), store.context())
    let (member, second) = (Member(name: "a"), Member(name: "b"))
    let family = Family(name: "f")
    for model in [member, second] { context.insert(model) }
    context.insert(family)
    try context.save()
    _ = family.members
    let theirs = try other.fetch(FetchDescriptor<Member>(sortBy: [SortDescriptor(\.name)]))
    second.age = 7
    whenChanged(member.name) {
      switch doing {
      case .fetch: _ = try? context.fetch(FetchDescriptor<Family>()).first?.members.count
      case .rollback: context.rollback()
      case .save: try? context.save()
      case .delete: context.delete(second)
      }
    }
    theirs[0].name = "changed"
    try other.save()
    _ = try all(context, Member.self)
    #expect(member.name == "changed")
    try context.save()
    let fresh = try store.context().fetch(FetchDescriptor<Member>(sortBy: [SortDescriptor(\.name, order: .reverse)]))
    #expect(fresh.map(\.name) == (doing == .delete ? ["changed"] : ["changed", "b"]))
    #expect(fresh.last?.age == (doing == .rollback || doing == .delete ? 0 : 7))
  }
}
