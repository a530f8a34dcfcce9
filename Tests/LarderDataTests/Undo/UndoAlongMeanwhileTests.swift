import Foundation
import LarderData
import Testing

/// What went along with a deletion that was pending here, because others saved that it belongs to what is deleted: the undo
/// brings it back, and the step may tell of it, too.
@Suite struct UndoAlongMeanwhileTests {
  private static let policies = [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump]

  /// The step that is undone in between finds the other end of the pair as it is stored: the deletion hides what it was
  /// changed by.
  @Test(arguments: StoreLocation.allCases, policies)
  func pairThatTheStepMadeIsUndoneAtBothEnds(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Squad(number: 0), Player(number: 1), Player(number: 2), Coach(number: 3)])
    let (context, manager) = store.undoing()
    context.mergePolicy = policy
    let squad = try #require(try context.all(Squad.self).first)
    let players = try context.all(Player.self).sorted { $0.number < $1.number }
    let coach = try #require(try context.all(Coach.self).first)
    players[0].rivalOf = [players[1]]
    #expect(players[1].rivals == [players[0]])
    context.delete(squad)
    context.processPendingChanges()
    try giveFirstPlayerToSquad(in: store)
    _ = try context.fetchCount(FetchDescriptor<Coach>())
    #expect(players[0].isDeleted && players[1].rivals == [])
    coach.number = 4
    context.processPendingChanges()
    manager.undo()

    manager.undo()
    #expect(!players[0].isDeleted && squad.players == [players[0]])
    #expect(players[0].rivalOf == [] && players[1].rivals == [])
    #expect(!context.hasChanges)
    manager.redo()
    #expect(squad.isDeleted && players[0].isDeleted)
    try context.save()
    #expect(try store.context().all(Player.self).map(\.number) == [2])
  }

  @Test(arguments: StoreLocation.allCases, policies)
  func whatTheStepChangedOfItIsUndone(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let store = try TestStore.ofTeams(place)
    let stored = (1...3).map { Player(number: $0) }
    stored[2].mentor = stored[0]
    stored[0].clubs = [Club(number: 4)]
    _ = try store.saved(stored + [Squad(number: 0), Coach(number: 5), Locker(number: 6)])
    let (context, manager) = store.undoing()
    context.mergePolicy = policy
    let squad = try #require(try context.all(Squad.self).first)
    let players = try context.all(Player.self).sorted { $0.number < $1.number }
    let (player, club) = (players[0], try #require(players[0].clubs.first))
    let (coach, locker) = try (#require(context.all(Coach.self).first), #require(context.all(Locker.self).first))
    player.number = 7
    player.idol = coach
    player.partner = players[1]
    player.locker = locker
    player.clubs = []
    players[2].mentor = nil
    context.delete(squad)
    context.processPendingChanges()
    try giveFirstPlayerToSquad(in: store)
    _ = try context.fetchCount(FetchDescriptor<Coach>())
    #expect(player.isDeleted && players[1].partner == nil)

    manager.undo()
    #expect(!player.isDeleted && player.squad === squad && squad.players == [player])
    #expect(player.number == 1 && player.idol == nil)
    #expect(player.partner == nil && players[1].partner == nil)
    #expect(!locker.isDeleted && player.locker == nil && locker.player == nil)
    #expect(player.clubs == [club] && club.players == [player])
    #expect(player.pupil === players[2] && players[2].mentor === player)
    #expect(!context.hasChanges)
    try context.save()
    let same = try #require(try store.context().all(Squad.self).first?.players.first)
    #expect(same.number == 1 && same.pupil?.number == 3 && same.clubs.map(\.number) == [4])
  }

  /// The same list, when the deletion that hid what was put into it is taken back by an insert.
  @Test(arguments: StoreLocation.allCases)
  func whatIsNotSavedIsInAListAgainThatCountedAsUnchanged(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Player(number: 2), Coach(number: 3), Club(number: 4)])
    let (context, manager) = store.undoing()
    let players = try context.all(Player.self).sorted { $0.number < $1.number }
    let (coach, club) = try (#require(context.all(Coach.self).first), #require(context.all(Club.self).first))
    players[0].rivalOf = [players[1]]
    players[1].coaches = [coach]
    #expect(players[1].rivals == [players[0]])
    context.processPendingChanges()
    context.delete(players[0])
    context.delete(coach)
    context.processPendingChanges()
    #expect(players[1].rivals == [] && players[1].coaches == [])
    club.number = 5
    context.processPendingChanges()
    manager.undo()

    context.insert(players[0])
    context.insert(coach)
    #expect(players[0].rivalOf == [players[1]] && players[1].rivals == [players[0]])
    #expect(players[1].coaches == [coach])
    try context.save()
    let same = try #require(try store.context().all(Player.self).first { $0.number == 2 })
    #expect(same.rivals.map(\.number) == [1] && same.coaches.map(\.number) == [3])
  }

  /// What others take out of a list while its owner is hidden stays out, though the owner has changed the list, too.
  @Test(arguments: StoreLocation.allCases, policies)
  func pairThatOthersPartedMeanwhileStaysParted(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let store = try TestStore.ofTeams(place)
    let stored = (1...3).map { Player(number: $0) }
    stored[0].rivalOf = [stored[1]]
    _ = try store.saved(stored + [Squad(number: 0)])
    let (context, manager) = store.undoing()
    context.mergePolicy = policy
    let squad = try #require(try context.all(Squad.self).first)
    let players = try context.all(Player.self).sorted { $0.number < $1.number }
    players[0].rivalOf.append(players[2])
    #expect(players[1].rivals == [players[0]])
    context.processPendingChanges()
    context.delete(squad)
    context.processPendingChanges()
    try giveFirstPlayerToSquad(in: store)
    _ = try context.fetchCount(FetchDescriptor<Squad>())
    #expect(players[0].isDeleted && players[1].rivals == [])
    let other = store.context()
    try #require(try other.all(Player.self).first { $0.number == 1 }).rivalOf = []
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Squad>())

    manager.undo()
    #expect(players[0].rivalOf == [players[2]] && players[2].rivals == [players[0]])
    #expect(players[1].rivals == [])
    try context.save()
    #expect(try store.context().all(Player.self).flatMap(\.rivalOf).map(\.number) == [3])
  }

  /// What others put into such a list is in it, and so is a member that is deleted for its own sake, when it is back.
  @Test(arguments: StoreLocation.allCases, policies)
  func pairThatOthersMadeMeanwhileIsThere(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let store = try TestStore.ofTeams(place)
    let stored = (1...4).map { Player(number: $0) }
    stored[0].rivalOf = [stored[1]]
    _ = try store.saved(stored + [Squad(number: 0)])
    let (context, _) = store.undoing()
    context.mergePolicy = policy
    let squad = try #require(try context.all(Squad.self).first)
    let players = try context.all(Player.self).sorted { $0.number < $1.number }
    players[0].rivalOf.append(players[2])
    context.processPendingChanges()
    context.delete(squad)
    context.processPendingChanges()
    try giveFirstPlayerToSquad(in: store)
    _ = try context.fetchCount(FetchDescriptor<Squad>())
    #expect(players[0].isDeleted)
    context.delete(players[1])
    #expect(players[3].rivals == [])
    let other = store.context()
    let theirs = try other.all(Player.self).sorted { $0.number < $1.number }
    theirs[0].rivalOf.append(theirs[3])
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Squad>())
    context.processPendingChanges()

    context.insert(squad)
    #expect(players[0].rivalOf == [players[2], players[3]])
    #expect(players[3].rivals == [players[0]] && players[2].rivals == [players[0]])
    context.insert(players[1])
    #expect(Set(players[0].rivalOf.map(\.number)) == [2, 3, 4] && players[1].rivals == [players[0]])
    try context.save()
    #expect(Set(try store.context().all(Player.self).flatMap(\.rivalOf).map(\.number)) == [2, 3, 4])
  }

  private func giveFirstPlayerToSquad(in store: TestStore) throws {
    let other = store.context()
    try #require(try other.all(Player.self).first { $0.number == 1 }).squad = try other.all(Squad.self).first
    try other.save()
  }
}
