import Foundation
import LarderData
import Testing

/// What others give to an object while its deletion is pending here: the deletion reaches it, and so does its undo.
@Suite struct UndoGivenMeanwhileTests {
  /// The deletion takes it out of what others gave it to, which is no part of the step, and is taken back with it.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func toOneThatOthersLedToWhatIsDeletedIsKept(_ place: StoreLocation, _ isInTheStep: Bool) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Player(number: 5), Coach(number: 2), Squad(number: 3), Locker(number: 4)])
    let (context, manager) = store.undoing()
    let player = try #require(try context.all(Player.self).first { $0.number == 1 })
    let coach = try #require(try context.all(Coach.self).first)
    let pupil = try #require(try context.all(Player.self).first { $0.number == 5 })
    let locker = try #require(try context.all(Locker.self).first)
    context.delete(coach)
    context.delete(pupil)
    context.delete(locker)
    if !isInTheStep { context.processPendingChanges() }

    let other = store.context()
    let theirs = try #require(try other.all(Player.self).first { $0.number == 1 })
    theirs.idol = try other.all(Coach.self).first
    theirs.pupil = try other.all(Player.self).first { $0.number == 5 }
    theirs.locker = try other.all(Locker.self).first
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Coach>())
    #expect(player.idol == nil && player.pupil == nil && player.locker == nil)
    context.processPendingChanges()
    manager.undo()
    #expect(player.idol === coach && player.pupil === pupil && pupil.mentor === player && player.locker === locker)
    try context.save()
    let reader = store.context()
    let same = try #require(try reader.all(Player.self).first { $0.number == 1 })
    #expect(same.idol != nil && same.pupil != nil && same.locker != nil)
    manager.redo()
    #expect(player.idol == nil && coach.isDeleted)
    try context.save()
    #expect(try store.context().all(Coach.self).isEmpty)
  }

  @Test(arguments: StoreLocation.allCases, [false, true])
  func memberThatOthersGaveToWhatIsDeletedComesBackWithIt(_ place: StoreLocation, _ isInTheStep: Bool) throws {
    let store = try TestStore.ofTeams(place)
    let squad = Squad(number: 0)
    squad.players = [Player(number: 1)]
    _ = try store.saved([squad, Player(number: 2)])
    let (context, manager) = store.undoing()
    let same = try #require(try context.all(Squad.self).first)
    let player = try #require(try context.all(Player.self).first { $0.number == 2 })
    context.delete(same)
    if !isInTheStep { context.processPendingChanges() }

    let other = store.context()
    let theirs = try #require(try other.all(Squad.self).first)
    let new = Player(number: 3)
    other.insert(new)
    let second = try #require(try other.all(Player.self).first { $0.number == 2 })
    theirs.players += [second, new]
    try other.save()
    #expect(try context.fetchCount(FetchDescriptor<Player>()) == 0)
    #expect(player.isDeleted)
    context.processPendingChanges()
    manager.undo()
    #expect(!player.isDeleted && same.players.map(\.number) == [1, 2, 3])
    try context.save()
    #expect(try store.context().all(Squad.self).first?.players.map(\.number) == [1, 2, 3])
    manager.redo()
    #expect(player.isDeleted)
    try context.save()
    #expect(try store.context().all(Player.self).isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func deletionTakenBackByAnInsertAndUndoneKeepsWhatOthersGave(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Coach(number: 2)])
    let (context, manager) = store.undoing()
    let player = try #require(try context.all(Player.self).first)
    let coach = try #require(try context.all(Coach.self).first)
    context.delete(coach)
    context.processPendingChanges()
    let other = store.context()
    try #require(try other.all(Player.self).first).idol = try other.all(Coach.self).first
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Coach>())
    context.insert(coach)
    #expect(player.idol === coach)
    player.number = 3
    context.processPendingChanges()
    manager.undo()
    #expect(player.idol == nil && coach.isDeleted)
    manager.undo()
    #expect(player.idol === coach && !context.hasChanges)
  }

  @Test(arguments: StoreLocation.allCases)
  func whatOthersGaveAndTookAwayAgainIsNotGivenBack(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Coach(number: 2)])
    let (context, manager) = store.undoing()
    let player = try #require(try context.all(Player.self).first)
    context.delete(try #require(try context.all(Coach.self).first))
    context.processPendingChanges()
    let other = store.context()
    let theirs = try #require(try other.all(Player.self).first)
    for coach in [try other.all(Coach.self).first, nil] {
      theirs.idol = coach
      try other.save()
      _ = try context.fetchCount(FetchDescriptor<Coach>())
    }
    manager.undo()
    #expect(player.idol == nil)
    try context.save()
    #expect(try store.context().all(Player.self).first?.idol == nil)
  }

  /// The same where the deletion is taken back by an insert.
  @Test(arguments: StoreLocation.allCases)
  func whatOthersGaveAndTookAwayIsNotGivenBackByAnInsert(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Squad(number: 1), Player(number: 2), Player(number: 3), Coach(number: 4)])
    let (context, other) = (store.context(), store.context())
    func players(_ context: ModelContext) throws -> [Player] {
      try context.fetch(FetchDescriptor<Player>(sortBy: [SortDescriptor(\.number)]))
    }
    let (here, there) = (try players(context), try players(other))
    let (coach, theirs) = (try #require(try context.all(Coach.self).first), try other.all(Coach.self).first)
    context.delete(coach)
    context.delete(here[1])
    for isGiven in [true, false] {
      there[0].idol = isGiven ? theirs : nil
      there[0].mentor = isGiven ? there[1] : nil
      try other.save()
      _ = try context.fetchCount(FetchDescriptor<Coach>())
    }
    context.insert(coach)
    context.insert(here[1])
    #expect(here[0].idol == nil && here[0].mentor == nil && here[1].pupil == nil)
    try context.save()
    let stored = try players(store.context())
    #expect(stored[0].idol == nil && stored[0].mentor == nil && stored[1].pupil == nil)
  }

  /// The same of what a deletion took along, where the owner was never saved.
  @Test(arguments: StoreLocation.allCases)
  func whatOthersGaveToWhatWasTakenAlongIsNotGivenBack(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Player(number: 2)])
    let (context, other) = (store.context(), store.context())
    func players(_ context: ModelContext) throws -> [Player] {
      try context.fetch(FetchDescriptor<Player>(sortBy: [SortDescriptor(\.number)]))
    }
    let (here, there) = (try players(context), try players(other))
    let squad = Squad(number: 3)
    context.insert(squad)
    here[1].squad = squad
    context.delete(squad)
    #expect(try context.fetchCount(FetchDescriptor<Player>()) == 1)
    for isGiven in [true, false] {
      there[0].partner = isGiven ? there[1] : nil
      try other.save()
      _ = try context.fetchCount(FetchDescriptor<Coach>())
    }
    context.insert(squad)
    #expect(here[1].squad === squad && here[0].partner == nil)
    try context.save()
    let stored = try players(store.context())
    #expect(stored.count == 2 && stored[0].partner == nil && stored[1].squad?.number == 3)
  }

  /// What this context did to it before or since is not what the deletion did.
  @Test(arguments: StoreLocation.allCases)
  func toOneThatTheStepItselfLedToWhatIsDeletedIsWhatItWas(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Coach(number: 2), Coach(number: 3)])
    let (context, manager) = store.undoing()
    let player = try #require(try context.all(Player.self).first)
    let coaches = try context.all(Coach.self)
    player.idol = coaches[0]
    context.delete(coaches[0])
    context.processPendingChanges()
    player.idol = coaches[1]
    context.processPendingChanges()
    manager.undo()
    manager.undo()
    #expect(player.idol == nil)
    try context.save()
    #expect(try store.context().all(Player.self).first?.idol == nil)
  }

  /// The one that is deleted has the key to what others gave it, which went along.
  @Test(arguments: StoreLocation.allCases)
  func whatOthersGaveByItsOwnKeyComesBackWithIt(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Coach(number: 1)])
    let (context, manager) = store.undoing()
    let coach = try #require(try context.all(Coach.self).first)
    context.delete(coach)
    context.processPendingChanges()
    let other = store.context()
    try #require(try other.all(Coach.self).first).apprentice = Coach(number: 2)
    try other.save()
    #expect(try context.fetchCount(FetchDescriptor<Coach>()) == 0)
    manager.undo()
    #expect(coach.apprentice?.number == 2 && coach.apprentice?.isDeleted == false)
    try context.save()
    #expect(try store.context().all(Coach.self).contains { $0.apprentice?.number == 2 })
  }

  /// An undo of one deletion brings nothing back that another takes along.
  @Test(arguments: StoreLocation.allCases)
  func whatAnotherDeletionTakesAlongStaysDeleted(_ place: StoreLocation) throws {
    let store = try TestStore(place, Slideshow.self, Slide.self)
    let (one, two) = (Slideshow(number: 1), Slideshow(number: 2))
    let shared = Slide(number: 1)
    one.slides = [shared]
    two.slides = [shared]
    _ = try store.saved([one, two])
    let (context, manager) = store.undoing()
    let slideshows = try context.all(Slideshow.self).sorted { $0.number < $1.number }
    let slide = try #require(try context.all(Slide.self).first)
    for slideshow in slideshows {
      context.delete(slideshow)
      context.processPendingChanges()
    }
    // What they add to both goes with both, and comes back with the second one.
    let other = store.context()
    let new = Slide(number: 2)
    other.insert(new)
    for slideshow in try other.all(Slideshow.self) { slideshow.slides.append(new) }
    try other.save()
    #expect(try context.fetchCount(FetchDescriptor<Slide>()) == 0)
    manager.undo()
    #expect(slide.isDeleted)
    #expect(try context.fetchCount(FetchDescriptor<Slide>()) == 0)
    manager.undo()
    #expect(!slide.isDeleted && !context.hasChanges)
    #expect(slideshows.allSatisfy { $0.slides.map(\.number) == [1, 2] })
    try context.save()
    #expect(try store.context().all(Slide.self).map(\.slideshows.count) == [2, 2])
  }

  /// An edit that was undone is not what somebody asked for.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func editThatIsUndoneDoesNotKeepItFromBeingRelatedAgain(_ place: StoreLocation, _ byInsert: Bool) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Coach(number: 2), Coach(number: 3)])
    let (context, manager) = store.undoing()
    let player = try #require(try context.all(Player.self).first)
    let coaches = try context.all(Coach.self).sorted { $0.number < $1.number }
    context.delete(coaches[0])
    context.processPendingChanges()
    let other = store.context()
    try #require(try other.all(Player.self).first).idol = try other.all(Coach.self).first { $0.number == 2 }
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Coach>())
    player.idol = coaches[1]
    context.processPendingChanges()
    manager.undo()
    #expect(player.idol == nil)
    if byInsert { context.insert(coaches[0]) } else { manager.undo() }
    #expect(player.idol === coaches[0])
    try context.save()
    #expect(try store.context().all(Player.self).first?.idol?.number == 2)
  }

  /// Both are deleted here when others relate them.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func whatOthersRelatedIsRelatedWhenBothAreBack(_ place: StoreLocation, _ isInMemory: Bool) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Coach(number: 2), Squad(number: 3)])
    let (context, manager) = store.undoing()
    let player = try #require(try context.all(Player.self).first)
    let coach = try #require(try context.all(Coach.self).first)
    if isInMemory { #expect(player.coaches.isEmpty) }
    context.delete(coach)
    context.processPendingChanges()
    context.delete(player)
    context.processPendingChanges()
    let other = store.context()
    let theirs = try #require(try other.all(Player.self).first)
    theirs.idol = try other.all(Coach.self).first
    theirs.coaches = try other.all(Coach.self)
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Coach>())
    manager.undo()
    #expect(player.idol == nil && player.coaches.isEmpty)
    manager.undo()
    #expect(player.idol === coach && player.coaches == [coach])
    try context.save()
    let reader = store.context()
    let same = try #require(try reader.all(Player.self).first)
    #expect(same.idol != nil && same.coaches.count == 1)
  }

  /// The insert took the deletion of a member back, and not that of its owner.
  @Test(arguments: StoreLocation.allCases)
  func memberThatAnInsertBroughtBackComesBackWithItsOwner(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Squad(number: 0)])
    let (context, manager) = store.undoing()
    let squad = try #require(try context.all(Squad.self).first)
    context.delete(squad)
    context.processPendingChanges()
    let other = store.context()
    try #require(try other.all(Squad.self).first).players = [Player(number: 3)]
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Player>())
    let player = try #require(context.deletedModelsArray.compactMap { $0 as? Player }.first)
    context.insert(player)
    context.processPendingChanges()
    manager.undo()
    #expect(player.isDeleted)
    manager.undo()
    #expect(!player.isDeleted && squad.players == [player])
    try context.save()
    #expect(try store.context().all(Squad.self).first?.players.map(\.number) == [3])
  }

  /// It is where it stands in the store, before what others put in after it.
  @Test(arguments: StoreLocation.allCases)
  func pairThatOthersMadeWithWhatIsDeletedComesBackInItsPlace(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Club(number: 2), Club(number: 3)])
    let (context, manager) = store.undoing()
    let player = try #require(try context.all(Player.self).first)
    #expect(player.clubs == [])
    context.delete(try #require(try context.all(Club.self).first { $0.number == 2 }))
    context.processPendingChanges()

    let other = store.context()
    let theirs = try #require(try other.all(Player.self).first)
    for club in try other.all(Club.self).sorted(by: { $0.number < $1.number }) {
      theirs.clubs.append(club)
      try other.save()
    }
    _ = try context.fetchCount(FetchDescriptor<Club>())
    #expect(player.clubs.map(\.number) == [3])
    manager.undo()
    #expect(player.clubs.map(\.number) == [2, 3])
    #expect(!context.hasChanges)
  }

  /// A list that was read while the other end was deleted says nothing of it, though that is back when its owner goes.
  @Test(arguments: StoreLocation.allCases)
  func pairOfWhatIsBackComesBackWithItsOtherEnd(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let (context, manager) = store.undoing()
    let players = [Player(number: 1), Player(number: 2)]
    for player in players { context.insert(player) }
    players[0].rivals = [players[1]]
    context.insert(Club(number: 3))
    try context.save()
    let other = store.context()
    try #require(try other.all(Club.self).first).number = 4
    try other.save()

    context.delete(players[0])
    #expect(players[1].rivalOf == [])
    context.delete(players[1])
    context.insert(players[0])
    #expect(players[0].rivals == [])
    try context.save()
    manager.undo()
    #expect(players[0].rivals == [players[1]])
    #expect(players[1].rivalOf == [players[0]])
    try context.save()
    #expect(
      try store.context().all(Player.self).map { $0.rivals.map(\.number) }.sorted { $0.count > $1.count } == [[2], []])
  }
}
