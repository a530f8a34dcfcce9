import LarderData
import SwiftData
import Testing

/// Deletions that are carried to related objects one after the other.
@Suite struct DeletionStepTests {
  /// What is pending and may lead to what is deleted.
  enum Pending: CaseIterable {
    case newLists, editedLists, newKeys, editedKeys
    var isNew: Bool { self == .newLists || self == .newKeys }
    var isLists: Bool { self == .newLists || self == .editedLists }
  }

  /// A deletion goes down a tree without going through all that is pending for each level.
  @Test(arguments: Pending.allCases)
  func treesAreGoneThroughOnce(_ pending: Pending) throws {
    func asked(_ count: Int) throws -> Int {
      let container = try ModelContainer(
        for: Knot.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let context = ModelContext(container)
      let knots = (0..<count).map { _ in Knot() }
      for knot in knots { context.insert(knot) }
      for (knot, below) in zip(knots, knots.dropFirst()) { below.above = knot }
      if !pending.isNew { try context.save() }
      let keeper = Knot()
      context.insert(keeper)
      for (place, knot) in knots.enumerated() {
        let other = knots[count - 1 - place]
        if pending.isLists { knot.tied = [other, keeper] } else { knot.friend = other }
      }
      if pending.isLists { keeper.tied = knots }
      keeper.friend = knots[count / 2]
      let before = context.core.relationships.examinedObjectCount
      context.delete(knots[0])
      #expect(keeper.tied.isEmpty && keeper.friend == nil)
      let asked = context.core.relationships.examinedObjectCount - before
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Knot>()) == 1)
      return asked
    }
    let (few, many) = (try asked(100), try asked(400))
    #expect(many <= 5 * few, "\(few) objects asked about for 100 levels, \(many) for 400")
  }

  /// New objects that may refer to what is deleted are not all asked for each deletion.
  @Test func newObjectsAreLookedUp() throws {
    func asked(_ count: Int) throws -> Int {
      let container = try container()
      let context = ModelContext(container)
      let owners = (0..<count).map { _ in Owner() }
      for owner in owners { context.insert(owner) }
      try context.save()
      let keeper = Owner()
      context.insert(keeper)
      keeper.members = (0..<count).map { Member($0) }
      let before = context.core.relationships.examinedObjectCount
      for (place, owner) in owners.enumerated() {
        // It goes with the last one, by when none is asked that is not found.
        if place == count / 2 { Member(-1).owner = owners[count - 1] }
        context.delete(owner)
        #expect(try context.fetchCount(FetchDescriptor<Owner>()) == count - place)
      }
      let asked = context.core.relationships.examinedObjectCount - before
      #expect(keeper.members.count == count)
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Member>()) == count)
      return asked
    }
    let (few, many) = (try asked(200), try asked(800))
    #expect(many <= 5 * few, "\(few) objects asked about for 200 deletions, \(many) for 800")
  }
}
