import Foundation
import LarderData
import LarderSQLite
import LarderSupport
import Observation
import Testing

/// Deletions that are undone before they were saved, and what was loaded while they were pending.
@Suite struct UndoPendingTests {
  /// The list is loaded while one of its members is deleted, and does not tell where that one stood.
  @Test(arguments: StoreLocation.allCases)
  func ownerThatGoesAfterItsMemberHasItsListInOrderAgain(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let squad = Squad(number: 0)
    squad.players = [Player(number: 1), Player(number: 2), Player(number: 3)]
    _ = try store.saved([squad])

    let (context, manager) = store.undoing()
    let players = try context.all(Player.self)
    context.delete(try #require(players.first { $0.number == 1 }))
    // Reached by the deletion before the list is loaded: nothing is noted of it.
    _ = try context.fetchCount(FetchDescriptor<Player>())
    let same = try #require(try context.all(Squad.self).first)
    same.players.reverse()
    context.delete(same)
    context.processPendingChanges()
    manager.undo()
    #expect(same.players.map(\.number) == [1, 2, 3])
    try context.save()
    #expect(try store.context().all(Squad.self).first?.players.map(\.number) == [1, 2, 3])
  }

  /// Nothing is another than before, so there is nothing to undo.
  @Test(arguments: StoreLocation.allCases)
  func deletionThatIsTakenBackIsNoStep(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let squad = Squad(number: 0)
    squad.players = [Player(number: 1)]
    _ = try store.saved([squad])

    let (context, manager) = store.undoing()
    let player = try #require(try context.all(Player.self).first)
    context.delete(player)
    _ = try context.fetchCount(FetchDescriptor<Player>())
    let same = try #require(try context.all(Squad.self).first)
    #expect(same.players.isEmpty)
    context.insert(player)
    #expect(same.players == [player])
    context.processPendingChanges()
    #expect(!manager.canUndo)
  }

  /// While one of them was deleted, the list of the other did not tell of the pair, which is in the store until a save.
  @Test(arguments: StoreLocation.allCases)
  func pairThatAnUndoHasPartedStaysPartedAfterADeletionOfEitherEnd(_ place: StoreLocation) throws {
    for deletesPlayer in [true, false] {
      let store = try TestStore.ofTeams(place)
      let (context, manager) = store.undoing()
      let (player, club) = (Player(number: 1), Club(number: 2))
      context.insert(player)
      context.processPendingChanges()
      context.insert(club)
      context.processPendingChanges()
      club.players.append(player)
      try context.save()
      for _ in 0..<3 { manager.undo() }
      for _ in 0..<2 { manager.redo() }
      if deletesPlayer { context.delete(player) } else { context.delete(club) }
      context.processPendingChanges()
      manager.undo()
      #expect(player.clubs.isEmpty && club.players.isEmpty)
      try context.save()
      #expect(try store.context().all(Club.self).map(\.players.count) == [0])
    }
  }

  /// The same in a list that nothing mirrors, whose owner is back before its member is.
  @Test(arguments: StoreLocation.allCases)
  func memberThatWasTakenOutBeforeBothWentStaysOutWhenBothAreBack(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let (context, manager) = store.undoing()
    let (player, coach) = (Player(number: 1), Coach(number: 2))
    context.insert(player)
    context.processPendingChanges()
    context.insert(coach)
    try context.save()
    player.coaches.append(coach)
    try context.save()
    manager.undo()
    coach.number = 3
    context.processPendingChanges()
    for _ in 0..<3 { manager.undo() }
    for _ in 0..<3 { manager.redo() }
    #expect(player.coaches.isEmpty)
    try context.save()
    #expect(try store.context().all(Player.self).map(\.coaches.count) == [0])
  }

  /// It is in the store as it was all the while.
  @Test(arguments: StoreLocation.allCases)
  func deletionThatIsUndoneLeavesNothingToBeSaved(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let (squad, club, coach) = (Squad(number: 0), Club(number: 1), Coach(number: 2))
    squad.players = [Player(number: 1), Player(number: 2), Player(number: 3)]
    squad.guests = [Player(number: 4)]
    club.players = squad.players
    let player = squad.players[1]
    player.idol = coach
    player.coaches = [coach]
    player.pupil = squad.players[0]
    player.locker = Locker(number: 1)
    player.friends = [squad.players[0]]
    _ = try store.saved([squad, club])

    let (context, manager) = store.undoing()
    let players = try context.all(Player.self)
    let same = try #require(players.first { $0.number == 2 })
    for player in players { _ = (player.clubs, player.friends, player.coaches, player.idol, player.mentor) }
    let gone: [any PersistentModel] = try [same] + context.all(Coach.self) + context.all(Club.self)
    for model in gone {
      context.delete(model)
      context.processPendingChanges()
      manager.undo()
      #expect(!context.hasChanges, "\(type(of: model)) \(context.changedModelsArray)")
    }
    for model in gone { context.delete(model) }
    context.processPendingChanges()
    manager.undo()
    #expect(!context.hasChanges)
    let saved = try store.writing { try context.save() }
    #expect(saved.status.statementRuns == 0)
    #expect(same.squad?.players.count == 3 && same.idol != nil && same.mentor == nil && same.pupil?.mentor === same)
    #expect(same.locker != nil && same.friends.count == 1 && same.clubs.count == 1 && same.coaches.count == 1)
    manager.redo()
    for model in gone { #expect(model.isDeleted) }
    try context.save()
    #expect(try store.context().all(Player.self).count == 3)
  }

  /// What it is changed to and back from is no change, and later steps begin from what is there.
  @Test(arguments: StoreLocation.allCases)
  func editThatIsUndoneLeavesNothingToBeSaved(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let (player, squad) = (Player(number: 1), Squad(number: 2))
    squad.players = [player, Player(number: 3)]
    _ = try store.saved([squad])
    let (context, manager) = store.undoing()
    let same = try #require(try context.all(Player.self).first { $0.number == 1 })
    let owner = try #require(try context.all(Squad.self).first)
    same.number = 7
    same.weight = 1
    owner.players.reverse()
    context.processPendingChanges()
    manager.undo()
    #expect(!context.hasChanges && same.number == 1 && owner.players.map(\.number) == [1, 3])

    // Others save what the object is edited from next.
    let other = store.context()
    try #require(try other.all(Player.self).first { $0.number == 1 }).number = 5
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Player>())
    #expect(same.number == 5)
    manager.redo()
    #expect(same.number == 7 && same.weight == 1 && owner.players.map(\.number) == [3, 7])
    manager.undo()
    #expect(same.number == 5 && same.weight == 0 && !context.hasChanges)
    same.number = 8
    context.processPendingChanges()
    manager.undo()
    #expect(same.number == 5 && !context.hasChanges)
    manager.redo()
    #expect(same.number == 8)
    try context.save()
    #expect(try store.context().all(Player.self).map(\.number).sorted() == [3, 8])
  }

  @Test(arguments: StoreLocation.allCases)
  func pairThatIsStoredGoesWithTheStepThatMadeIt(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Coach(number: 2)])
    let (context, manager) = store.undoing()
    let player = try #require(try context.all(Player.self).first)
    let coach = try #require(try context.all(Coach.self).first)
    player.coaches = [coach]
    try context.save()
    context.delete(coach)
    #expect(player.coaches.isEmpty)
    context.processPendingChanges()
    manager.undo()
    #expect(player.coaches == [coach])
    manager.undo()
    #expect(player.coaches.isEmpty)
    try context.save()
    #expect(try store.context().all(Player.self).first?.coaches.isEmpty == true)
  }

  /// The list hides what is deleted, until all is rolled back.
  @Test(arguments: StoreLocation.allCases)
  func rollbackAfterARedoShowsWhatIsStored(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let club = Club(number: 0)
    club.players = [Player(number: 1)]
    _ = try store.saved([club])
    let (context, manager) = store.undoing()
    let same = try #require(try context.all(Club.self).first)
    let player = try #require(same.players.first)
    context.delete(same)
    context.delete(player)
    context.processPendingChanges()
    context.insert(same)
    context.processPendingChanges()
    for _ in 0..<2 { manager.undo() }
    for _ in 0..<2 { manager.redo() }
    #expect(same.players.isEmpty && player.isDeleted)
    context.rollback()
    #expect(same.players == [player] && player.clubs == [same])
  }

  /// They were not related before the step.
  @Test(arguments: StoreLocation.allCases)
  func pairThatTheStepMadeIsNotMadeAgainByItsUndo(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Club(number: 0), Player(number: 1)])
    let (context, manager) = store.undoing()
    let club = try #require(try context.all(Club.self).first)
    let player = try #require(try context.all(Player.self).first)
    club.players = [player]
    context.delete(club)
    context.delete(player)
    context.insert(player)
    context.processPendingChanges()
    manager.undo()
    #expect(player.clubs.isEmpty && club.players.isEmpty)
    try context.save()
    #expect(try store.context().all(Player.self).first?.clubs.isEmpty == true)
  }

  /// One that is related to itself by both ends of a pair.
  @Test(arguments: StoreLocation.allCases)
  func pairOfOneWithItselfIsOnePair(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let squad = Squad(number: 0)
    squad.players = [Player(number: 1)]
    _ = try store.saved([squad])
    let (context, manager) = store.undoing()
    let player = try #require(try context.all(Player.self).first)
    player.rivalOf.append(player)
    context.processPendingChanges()
    context.delete(try #require(try context.all(Squad.self).first))
    context.processPendingChanges()
    manager.undo()
    #expect(player.rivals == [player] && player.rivalOf == [player])
    try context.save()
    let same = try #require(try store.context().all(Player.self).first)
    #expect(same.rivals == [same] && same.rivalOf == [same])
  }

  /// The owner was brought back and lost a member, which was saved; both steps are undone.
  @Test(arguments: StoreLocation.allCases)
  func listThatThisContextSavedMeanwhileIsWhatItWas(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let club = Club(number: 0)
    club.players = [Player(number: 1), Player(number: 2)]
    _ = try store.saved([club])
    let (context, manager) = store.undoing()
    let same = try #require(try context.all(Club.self).first)
    context.delete(same)
    context.processPendingChanges()
    context.insert(same)
    same.players.removeLast()
    try context.save()
    manager.undo()
    manager.undo()
    #expect(same.players.map(\.number).sorted() == [1, 2])
    try context.save()
    #expect(try store.context().all(Club.self).first?.players.count == 2)
  }

  /// Who had it in the step that is undone goes with that.
  @Test(arguments: StoreLocation.allCases)
  func oneToOneThatTheStepItselfMadeGoesWithIt(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let (context, manager) = store.undoing()
    let (mentor, pupil) = (Player(number: 1), Player(number: 2))
    mentor.pupil = pupil
    context.insert(mentor)
    context.processPendingChanges()
    let another = Player(number: 3)
    context.insert(another)
    another.pupil = pupil
    context.delete(mentor)
    context.processPendingChanges()
    #expect(pupil.mentor === another)
    manager.undo()
    #expect(pupil.mentor === mentor && mentor.pupil === pupil)
    try context.save()
    #expect(try store.context().all(Player.self).first { $0.number == 2 }?.mentor?.number == 1)
  }

  /// A redo deletes as the program did: an insert takes it back with what followed from it.
  @Test(arguments: StoreLocation.allCases)
  func deletionThatWasRedoneIsTakenBackWhole(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let club = Club(number: 0)
    club.players = [Player(number: 1), Player(number: 2)]
    let idol = Coach(number: 4)
    club.players[0].idol = idol
    _ = try store.saved([club])
    let (context, manager) = store.undoing()
    let same = try #require(try context.all(Club.self).first)
    let coach = try #require(try context.all(Coach.self).first)
    let player = try #require(same.players.first { $0.number == 1 })
    context.delete(same)
    context.delete(coach)
    context.processPendingChanges()
    manager.undo()
    manager.redo()
    #expect(player.idol == nil && player.clubs.isEmpty)
    context.insert(same)
    context.insert(coach)
    #expect(same.players.count == 2 && player.idol === coach)
    try context.save()
    let reader = store.context()
    #expect(try reader.all(Club.self).first?.players.count == 2)
    #expect(try reader.all(Player.self).first { $0.number == 1 }?.idol?.number == 4)
  }

  @Test(arguments: StoreLocation.allCases, [false, true])
  func undoneInsertDoesNotTakeAlongWhatItWasGiven(_ place: StoreLocation, _ isSaved: Bool) throws {
    let store = try TestStore(place, Slideshow.self, Slide.self)
    _ = try store.saved([Slide(number: 1)])
    let (context, manager) = store.undoing()
    let slide = try #require(try context.all(Slide.self).first)
    let slideshow = Slideshow(number: 2)
    context.insert(slideshow)
    slideshow.slides = [slide]
    slideshow.cover = [slide]
    if isSaved { try context.save() } else { context.processPendingChanges() }
    manager.undo()
    #expect(!slide.isDeleted && slide.slideshows.isEmpty && slide.covers.isEmpty)
    try context.save()
    let reader = store.context()
    #expect(try reader.all(Slide.self).count == 1 && reader.all(Slideshow.self).isEmpty)
    manager.redo()
    #expect(slideshow.slides == [slide] && slideshow.cover == [slide] && slide.slideshows == [slideshow])
    try context.save()
    #expect(try store.context().all(Slide.self).first?.covers.count == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func whatIsBackLosesItsKeyWithItsTarget(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let player = Player(number: 1)
    player.pupil = Player(number: 2)
    _ = try store.saved([player])
    let (context, manager) = store.undoing()
    // The pupil is not in memory, so its mentor is not known at the undo.
    let same = try #require(
      try context.fetch(FetchDescriptor<Player>(predicate: #Predicate { $0.number == 1 })).first)
    context.delete(same)
    try context.save()
    manager.undo()
    let pupil = try #require(try context.all(Player.self).first { $0.number == 2 })
    #expect(same.pupil === pupil)
    context.delete(pupil)
    #expect(same.pupil == nil)
    try context.save()
    #expect(try store.context().all(Player.self).map(\.number) == [1])
  }

  @Test(arguments: StoreLocation.allCases)
  func observerOfAListThatHidItIsTold(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let player = Player(number: 1)
    player.clubs = [Club(number: 0), Club(number: 1)]
    _ = try store.saved([player])
    let (context, manager) = store.undoing()
    context.delete(try #require(try context.all(Club.self).first { $0.number == 0 }))
    context.processPendingChanges()
    let same = try #require(try context.all(Player.self).first)
    let told = Locked(false)
    withObservationTracking {
      #expect(same.clubs.count == 1)
    } onChange: {
      told.withLock { $0 = true }
    }
    manager.undo()
    #expect(same.clubs.count == 2)
    #expect(told.withLock { $0 })
  }

  @Test func undoOfADeletionTakesFewStatements() throws {
    func runs(_ count: Int) throws -> Int64 {
      let store = try TestStore.ofTeams(.memory)
      let clubs = [Club(number: 0), Club(number: 1)]
      let players = (0..<count).map { Player(number: $0) }
      for club in clubs { club.players = players }
      _ = try store.saved(clubs)
      let (context, manager) = store.undoing()
      context.delete(try #require(try context.all(Club.self).first { $0.number == 0 }))
      context.processPendingChanges()
      return try store.writing { manager.undo() }.status.statementRuns
    }
    #expect(try runs(100) == runs(10))
  }

  /// To know what is taken back, one statement is asked for each relationship, however many objects are deleted.
  @Test func stepWithManyDeletionsTakesFewStatements() throws {
    func runs(_ count: Int) throws -> Int64 {
      let store = try TestStore.ofTeams(.memory)
      let players = (0..<20).map { Player(number: $0) }
      let clubs = (0..<count).map { Club(number: $0) }
      for club in clubs { club.players = players }
      let squads = (0..<count).map { Squad(number: $0) }
      for squad in squads { squad.players = [Player(number: 100), Player(number: 101)] }
      _ = try store.saved(clubs + squads)
      let (context, _) = store.undoing()
      for club in try context.all(Club.self) { context.delete(club) }
      for squad in try context.all(Squad.self) { context.delete(squad) }
      for player in try context.all(Player.self) {
        player.rivals.append(contentsOf: player.coaches.isEmpty ? [player] : [])
      }
      return try store.writing { context.processPendingChanges() }.status.statementRuns
    }
    // More than debug builds compare with a look at all that is pending.
    #expect(try runs(100) == runs(20))
  }
}
