import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Synchronization
import TestSeeds
import Testing

/// Lists that several contexts and other programs change.
@Suite(.serialized) struct BreakingAgainSharingTests: BreakingAgain {
  /// A list is loaded while members are in memory from before another changed them.
  @Test(arguments: StoreLocation.allCases)
  func listsAreAsTheStoreHasThemWhateverIsInMemory(_ place: StoreLocation) throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<12 {
      let store = try store(place)
      let writer = store.context()
      let lists = (0..<5).map { Family(name: "\($0)") }
      for list in lists { writer.insert(list) }
      for number in 0..<30 { lists[number % 5].members.append(Member(name: "\(number)", age: number)) }
      try writer.save()
      let reader = store.context()
      let read = try families(reader)
      // Some members are known beforehand, some lists are loaded.
      let limit = Int.random(in: 0..<30, using: &random)
      let known = try reader.fetch(FetchDescriptor<Member>(predicate: #Predicate { $0.age < limit }))
      _ = read.randomElement(using: &random)?.members
      for _ in 0..<6 {
        for _ in 0..<Int.random(in: 1..<8, using: &random) {
          let members = lists.flatMap(\.members)
          guard let member = members.randomElement(using: &random) else { continue }
          switch Int.random(in: 0..<6, using: &random) {
          case 0: lists.randomElement(using: &random)?.members.append(member)
          case 1: member.family = lists.randomElement(using: &random)
          case 2: writer.delete(member)
          case 3: lists.randomElement(using: &random)?.members.append(Member(name: "new", age: 99))
          case 4: lists.randomElement(using: &random)?.members.shuffle(using: &random)
          default: lists.randomElement(using: &random)?.members.insert(member, at: 0)
          }
        }
        try writer.save()
        // A fetch notices what others have saved.
        _ = try families(reader)
        // Attributes that are being edited here are no reason to show other lists.
        if Bool.random(using: &random) { known.randomElement(using: &random)?.name += "!" }
        let order = read.indices.shuffled(using: &random)
        for place in order {
          #expect(read[place].members.map(\.persistentModelID) == lists[place].members.map(\.persistentModelID))
          #expect(read[place].members.allSatisfy { $0.family === read[place] })
        }
      }
      withExtendedLifetime(known) {}
    }
  }

  @Test func actorsAppendAtOnce() async throws {
    let store = try store(.disk)
    let container = store.container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<6 {
        group.addTask { try await Filler(modelContainer: container).fill(number, rounds: 25) }
      }
      try await group.waitForAll()
    }
    try check(store)
    for family in try families(store.context()) {
      #expect(Set(family.members.map(\.age)) == Set(0..<25))
      #expect(family.members.count == 25)
    }
  }

  @Test func strangerWritesBetweenLoads() throws {
    let store = try store(.disk)
    let seed = store.context()
    for name in ["A", "B", "C"] {
      let family = Family(name: name)
      for number in 1...3 { family.members.append(Member(name: "\(name)\(number)", age: number)) }
      seed.insert(family)
    }
    try seed.save()
    let context = store.context()
    let read = try families(context)
    #expect(read.map { $0.members.count } == [3, 3, 3])
    let stranger = try Connection(path: store.url.path)
    func run(_ sql: String) throws {
      try stranger.execute(sql)
      // As the lease of the context's read transaction ends sooner or later.
      try context.save()
      store.container.store.commitCount.add(1, ordering: .releasing)
      _ = try families(context)
    }
    try run(
      """
      UPDATE Member SET family = (SELECT larder_id FROM Family WHERE name = 'C'),
        larder_version = larder_version + 1 WHERE name LIKE 'A%'
      """)
    #expect(
      read.map { Set($0.members.map(\.name)) } == [[], ["B1", "B2", "B3"], ["A1", "A2", "A3", "C1", "C2", "C3"]])
    read[0].members.append(Member(name: "A4"))
    try run("UPDATE Member SET larder_family_order = NULL, larder_version = larder_version + 1")
    #expect(read[0].members.map(\.name) == ["A4"])
    read[1].members.append(Member(name: "B4"))
    read[1].members.append(Member(name: "B5"))
    try context.save()
    #expect(try stored(store, 1) == ["B1", "B2", "B3", "B4", "B5"])
    try run("DELETE FROM Member WHERE name = 'B2'")
    read[1].members.append(Member(name: "B6"))
    #expect(read[1].members.map(\.name) == ["B1", "B3", "B4", "B5", "B6"])
    try context.save()
    #expect(try stored(store, 1) == ["B1", "B3", "B4", "B5", "B6"])
  }

  /// Both change the same lists, and each save is followed by a look of both.
  @Test(arguments: StoreLocation.allCases)
  func twoContextsChangeTheSameLists(_ place: StoreLocation) throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<10 {
      let store = try store(place)
      let seed = store.context()
      for number in 0..<4 {
        let family = Family(name: "\(number)")
        family.members = (0..<5).map { Member(name: "\(number)\($0)") }
        seed.insert(family)
      }
      try seed.save()
      let contexts = [store.context(), store.context()]
      for _ in 0..<12 {
        let context = contexts[Int.random(in: 0..<2, using: &random)]
        for one in contexts where Bool.random(using: &random) || one === context {
          let lists = try families(one)
          for _ in 0..<3 {
            let list = lists[Int.random(in: 0..<lists.count, using: &random)]
            let other = lists[Int.random(in: 0..<lists.count, using: &random)]
            switch Int.random(in: 0..<6, using: &random) {
            case 0: list.members.append(Member(name: "new"))
            case 1: if let member = other.members.randomElement(using: &random) { list.members.append(member) }
            case 2: list.members.shuffle(using: &random)
            case 3: other.members.randomElement(using: &random).map(one.delete)
            case 4: list.members.randomElement(using: &random)?.family = other
            default: list.members.randomElement(using: &random)?.age += 1
            }
          }
        }
        do { try context.save() } catch { context.rollback() }
        try check(store)
        let fresh = try families(store.context())
        let seen = try families(context)
        _ = try all(context, Member.self)
        #expect(!context.hasChanges)
        for (mine, actual) in zip(seen, fresh) {
          #expect(mine.members.map(\.persistentModelID) == actual.members.map(\.persistentModelID))
          #expect(mine.members.allSatisfy { $0.family === mine })
        }
      }
    }
  }

  @Test func ownerThatAnotherDeletedTakesNoMembers() throws {
    let store = try store(.disk)
    let seed = store.context()
    let family = Family(name: "f")
    family.members = [Member(name: "a")]
    seed.insert(family)
    try seed.save()
    let (one, two) = (store.context(), store.context())
    let mine = try families(one)[0]
    #expect(mine.members.count == 1)
    two.delete(try families(two)[0])
    try two.save()
    let gone = mine.persistentModelID
    let late = Member(name: "late")
    mine.members.append(late)
    // A change of a list goes with its owner, and the save says whose it was. What is new stays.
    #expect(mine.modelContext == nil && late.modelContext === one && late.family == nil)
    nonisolated(unsafe) var told: [PersistentIdentifier] = []
    let observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: one, queue: nil) {
      told += $0.userInfo?[ModelContext.droppedEditIdentifiersKey] as? [PersistentIdentifier] ?? []
    }
    try one.save()
    NotificationCenter.default.removeObserver(observer)
    #expect(told == [gone])
    try check(store)
    #expect(try all(store.context(), Member.self).map(\.name) == ["late"])
    #expect(try families(one).isEmpty)
    one.insert(Member(name: "x"))
    try one.save()
  }

  @Test func ownerThatAnotherDeletedIsRefusedItsMembers() throws {
    let store = try store(.disk)
    let seed = store.context()
    let family = Family(name: "f")
    family.members = [Member(name: "a")]
    seed.insert(family)
    try seed.save()
    let (one, two) = (store.context(), store.context())
    one.mergePolicy = .error
    let mine = try families(one)[0]
    #expect(mine.members.count == 1)
    two.delete(try families(two)[0])
    try two.save()
    mine.members.append(Member(name: "late"))
    let error = #expect(throws: SaveError.self) { try one.save() }
    #expect(error?.code == .rowDeleted)
    try check(store)
    one.rollback()
    #expect(try all(store.context(), Member.self).isEmpty)
    #expect(try families(one).isEmpty)
    try one.save()
  }
}
