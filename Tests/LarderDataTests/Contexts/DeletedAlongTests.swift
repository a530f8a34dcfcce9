import LarderData
import SwiftData
import Testing

/// A deletion takes along what others have led to the deleted object meanwhile. A relationship that is set in the same moment
/// leaves that out, as it would if it had been set before.
@Suite struct DeletedAlongTests {
  enum Setting: CaseIterable { case list, one }

  @Test(
    arguments: Setting.allCases,
    [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite])
  func whatIsDeletedAlongLeavesWhatIsSet(_ setting: Setting, _ policy: MergePolicy) throws {
    let store = try TestStore(
      .memory, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self, Branch.self)
    let (other, context) = (store.context(), store.context())
    context.mergePolicy = policy
    let (squad, player) = (Squad(number: 1), Player(number: 2))
    other.insert(squad)
    other.insert(player)
    try other.save()
    let own = Player(number: 3)
    context.insert(own)
    let here = try #require(
      try context.fetch(FetchDescriptor<Player>(predicate: #Predicate { $0.number == 2 })).first)
    context.delete(try #require(try context.fetch(FetchDescriptor<Squad>()).first))
    squad.players = [player]
    try other.save()
    switch setting {
    case .list: own.rivalOf = [here]
    case .one: own.mentor = here
    }
    #expect(own.rivalOf.isEmpty && own.mentor == nil && here.isDeleted)
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Player>()).map(\.number) == [3])
  }
}
