import LarderData
import SwiftData
import Testing

/// Deletions that are carried to related objects one after the other.
@Suite struct DeletionStepTests {
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
      let before = context.core.relations.askedObjects
      for (place, owner) in owners.enumerated() {
        // It goes with the last one, by when none is asked that is not found.
        if place == count / 2 { Member(-1).owner = owners[count - 1] }
        context.delete(owner)
        #expect(try context.fetchCount(FetchDescriptor<Owner>()) == count - place)
      }
      let asked = context.core.relations.askedObjects - before
      #expect(keeper.members.count == count)
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Member>()) == count)
      return asked
    }
    let (few, many) = (try asked(200), try asked(800))
    #expect(many <= 5 * few, "\(few) objects asked about for 200 deletions, \(many) for 800")
  }
}
