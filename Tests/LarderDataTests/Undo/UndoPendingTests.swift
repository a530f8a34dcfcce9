import Foundation
import LarderData
import LarderSQLite
import Observation
import Synchronization
import Testing

/// Deletions that are undone before they were saved, and what was loaded while they were pending.
@Suite struct UndoPendingTests {
  private func store(_ place: Place) throws -> TestStore {
    try TestStore(
      place, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self, Branch.self)
  }

  private func context(_ store: TestStore) -> (ModelContext, UndoManager) {
    let context = store.context()
    let manager = UndoManager()
    context.undoManager = manager
    return (context, manager)
  }

  private func all<T: PersistentModel>(_ type: T.Type, _ context: ModelContext) throws -> [T] {
    try context.fetch(FetchDescriptor<T>())
  }

  /// The list is loaded while one of its members is deleted, and does not tell where that one stood.
  @Test(arguments: Place.allCases)
  func ownerThatGoesAfterItsMemberHasItsListInOrderAgain(_ place: Place) throws {
    let store = try store(place)
    let squad = Squad(number: 0)
    squad.kits = [Kit(number: 1, squad: squad), Kit(number: 2, squad: squad), Kit(number: 3, squad: squad)]
    _ = try store.saved([squad])

    let (context, manager) = context(store)
    let same = try #require(try all(Squad.self, context).first)
    let kits = try all(Kit.self, context)
    context.delete(try #require(kits.first { $0.number == 1 }))
    same.kits.reverse()
    context.delete(same)
    context.processPendingChanges()
    manager.undo()
    #expect(same.kits.map(\.number) == [1, 2, 3])
    try context.save()
    #expect(try all(Squad.self, store.context()).first?.kits.map(\.number) == [1, 2, 3])
  }

  /// Nothing is another than before, so there is nothing to undo.
  @Test(arguments: Place.allCases)
  func deletionThatIsTakenBackIsNoStep(_ place: Place) throws {
    let store = try store(place)
    let squad = Squad(number: 0)
    squad.kits = [Kit(number: 1, squad: squad)]
    _ = try store.saved([squad])

    let (context, manager) = context(store)
    let same = try #require(try all(Squad.self, context).first)
    let kit = try #require(try all(Kit.self, context).first)
    context.delete(kit)
    #expect(same.kits.isEmpty)
    context.insert(kit)
    #expect(same.kits == [kit])
    context.processPendingChanges()
    #expect(!manager.canUndo)
  }

  /// What was never saved goes with the deletion of what it hangs on, which is carried on again when others save.
  @Test(arguments: Place.allCases)
  func whatWasNeverSavedLeavesNoRowToBeDeleted(_ place: Place) throws {
    let store = try store(place)
    _ = try store.saved([Coach(number: 1)])
    let (context, manager) = context(store)
    let coach = try #require(try all(Coach.self, context).first)
    let apprentice = Coach(number: 2)
    coach.apprentice = apprentice
    context.processPendingChanges()
    context.delete(coach)
    context.processPendingChanges()

    let other = store.context()
    let strangers = (0..<10).map { Coach(number: 10 + $0) }
    for stranger in strangers { other.insert(stranger) }
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Coach>())
    manager.undo()
    #expect(coach.apprentice === apprentice && apprentice.modelContext === context)
    manager.redo()
    try context.save()
    #expect(try all(Coach.self, store.context()).map(\.number).sorted() == Array(10..<20))
  }

  @Test(arguments: Place.allCases)
  func pairThatIsStoredGoesWithTheStepThatMadeIt(_ place: Place) throws {
    let store = try store(place)
    _ = try store.saved([Player(number: 1), Coach(number: 2)])
    let (context, manager) = context(store)
    let player = try #require(try all(Player.self, context).first)
    let coach = try #require(try all(Coach.self, context).first)
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
    #expect(try all(Player.self, store.context()).first?.coaches.isEmpty == true)
  }

  /// One that is related to itself by both ends of a pair.
  @Test(arguments: Place.allCases)
  func pairOfOneWithItselfIsOnePair(_ place: Place) throws {
    let store = try store(place)
    let squad = Squad(number: 0)
    squad.players = [Player(number: 1)]
    _ = try store.saved([squad])
    let (context, manager) = context(store)
    let player = try #require(try all(Player.self, context).first)
    player.rivalOf.append(player)
    context.processPendingChanges()
    context.delete(try #require(try all(Squad.self, context).first))
    context.processPendingChanges()
    manager.undo()
    #expect(player.rivals == [player] && player.rivalOf == [player])
    try context.save()
    let same = try #require(try all(Player.self, store.context()).first)
    #expect(same.rivals == [same] && same.rivalOf == [same])
  }

  /// What another context takes out of a list, or puts into it, while its owner is deleted here stays so.
  @Test(arguments: Place.allCases)
  func pairsThatOthersChangedMeanwhileStayChanged(_ place: Place) throws {
    let store = try store(place)
    let club = Club(number: 0)
    let players = (1...3).map { Player(number: $0) }
    club.players = [players[0], players[1]]
    _ = try store.saved([club] + players)
    let (context, manager) = context(store)
    let same = try #require(try all(Club.self, context).first)
    #expect(same.players.count == 2)
    context.delete(same)
    context.processPendingChanges()

    let other = store.context()
    let theirs = try #require(try all(Club.self, other).first)
    let third = try #require(try all(Player.self, other).first { $0.number == 3 })
    theirs.players = [theirs.players[1], third]
    try other.save()

    manager.undo()
    #expect(same.players.map(\.number) == [2, 3])
    for player in try all(Player.self, context) { #expect(player.clubs.isEmpty == (player.number == 1)) }
    try context.save()
    #expect(try all(Club.self, store.context()).first?.players.map(\.number) == [2, 3])
  }

  /// The owner was brought back and lost a member, which was saved; both steps are undone.
  @Test(arguments: Place.allCases)
  func listThatThisContextSavedMeanwhileIsWhatItWas(_ place: Place) throws {
    let store = try store(place)
    let club = Club(number: 0)
    club.players = [Player(number: 1), Player(number: 2)]
    _ = try store.saved([club])
    let (context, manager) = context(store)
    let same = try #require(try all(Club.self, context).first)
    context.delete(same)
    context.processPendingChanges()
    context.insert(same)
    same.players.removeLast()
    try context.save()
    manager.undo()
    manager.undo()
    #expect(same.players.map(\.number).sorted() == [1, 2])
    try context.save()
    #expect(try all(Club.self, store.context()).first?.players.count == 2)
  }

  /// What others save after the undo meets lists that are not edited, or know what they were.
  @Test(arguments: Place.allCases)
  func pairsThatOthersAddAfterTheUndoStay(_ place: Place) throws {
    let store = try store(place)
    let club = Club(number: 0)
    club.players = [Player(number: 1)]
    _ = try store.saved([club, Club(number: 1)])
    let (context, manager) = context(store)
    let same = try #require(try all(Club.self, context).first { $0.number == 0 })
    let player = try #require(same.players.first)
    context.delete(same)
    context.processPendingChanges()
    manager.undo()
    #expect(player.clubs == [same])

    let other = store.context()
    let second = try #require(try all(Club.self, other).first { $0.number == 1 })
    second.players = try all(Player.self, other)
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Club>())
    #expect(player.clubs.count == 2)
    try context.save()
    #expect(try all(Player.self, store.context()).first?.clubs.count == 2)
  }

  @Test(arguments: Place.allCases)
  func toOneIsNilWhereOthersDeletedWhatItLedTo(_ place: Place) throws {
    let store = try store(place)
    let player = Player(number: 1)
    player.idol = Coach(number: 2)
    _ = try store.saved([player])
    let (context, manager) = context(store)
    context.delete(try #require(try all(Player.self, context).first))
    try context.save()
    let other = store.context()
    other.delete(try #require(try all(Coach.self, other).first))
    try other.save()
    manager.undo()
    let back = try #require(try all(Player.self, context).first)
    #expect(back.idol == nil)
    try context.save()
    #expect(try all(Player.self, store.context()).count == 1)
  }

  @Test(arguments: Place.allCases)
  func oneToOneThatOthersMadeMeanwhileStaysOne(_ place: Place) throws {
    let store = try store(place)
    let player = Player(number: 1)
    player.locker = Locker(number: 1)
    _ = try store.saved([player, Locker(number: 2)])
    let (context, manager) = context(store)
    context.delete(try #require(try all(Locker.self, context).first { $0.number == 1 }))
    try context.save()
    let other = store.context()
    let theirs = try #require(try all(Player.self, other).first)
    theirs.locker = try all(Locker.self, other).first
    try other.save()
    manager.undo()
    try context.save()
    let holders = try all(Locker.self, store.context()).filter { $0.player != nil }
    #expect(holders.map(\.number) == [2])
    #expect(try all(Locker.self, context).count == 2)
  }

  /// Who had it in the step that is undone goes with that.
  @Test(arguments: Place.allCases)
  func oneToOneThatTheStepItselfMadeGoesWithIt(_ place: Place) throws {
    let store = try store(place)
    let (context, manager) = context(store)
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
    #expect(try all(Player.self, store.context()).first { $0.number == 2 }?.mentor?.number == 1)
  }

  @Test(arguments: Place.allCases)
  func whatOthersMovedMeanwhileIsInItsNewList(_ place: Place) throws {
    let store = try store(place)
    let (one, two) = (Squad(number: 1), Squad(number: 2))
    one.players = [Player(number: 7)]
    _ = try store.saved([one, two])
    let (context, manager) = context(store)
    let second = try #require(try all(Squad.self, context).first { $0.number == 2 })
    let player = try #require(try all(Player.self, context).first)
    context.delete(player)
    context.processPendingChanges()
    let other = store.context()
    try #require(try all(Player.self, other).first).squad = try all(Squad.self, other).first { $0.number == 2 }
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Squad>())
    #expect(second.players.isEmpty)
    manager.undo()
    #expect(player.squad === second)
    #expect(second.players == [player])
    try context.save()
    #expect(try all(Squad.self, store.context()).first { $0.number == 2 }?.players.count == 1)
  }

  /// By another program, which takes numbers as it likes.
  @Test(arguments: Place.allCases)
  func aStrangerUnderTheNumberOfWhatWasNeverSavedIsNotDeleted(_ place: Place) throws {
    let store = try store(place)
    _ = try store.saved([Coach(number: 1)])
    let (context, _) = context(store)
    let coach = try #require(try all(Coach.self, context).first)
    let apprentice = Coach(number: 2)
    coach.apprentice = apprentice
    let row = apprentice.persistentModelID.key
    context.delete(coach)
    context.processPendingChanges()
    try store.execute("INSERT INTO Coach (larder_id, number, weight) VALUES (\(row), 99, 0)")
    let stranger = try #require(try all(Coach.self, context).first { $0.number == 99 })
    _ = try store.saved([Coach(number: 10)])
    _ = try context.fetchCount(FetchDescriptor<Coach>())
    #expect(!stranger.isDeleted)
    try context.save()
    #expect(try all(Coach.self, store.context()).map(\.number).sorted() == [10, 99])
  }

  @Test(arguments: Place.allCases)
  func aStrangerUnderTheNumberOfWhatIsGoneKeepsItsValues(_ place: Place) throws {
    let store = try store(place)
    _ = try store.saved([Coach(number: 1)])
    let (context, manager) = context(store)
    let coach = try #require(try all(Coach.self, context).first)
    let row = coach.persistentModelID.key
    context.delete(coach)
    try context.save()
    try store.execute("INSERT INTO Coach (larder_id, number, weight) VALUES (\(row), 99, 0)")
    manager.undo()
    try context.save()
    #expect(try all(Coach.self, store.context()).contains { $0.number == 99 })
  }

  @Test(arguments: Place.allCases)
  func whatOthersTookOutOfAListThatHidItStaysOut(_ place: Place) throws {
    let store = try store(place)
    let club = Club(number: 0)
    club.players = [Player(number: 1), Player(number: 2)]
    _ = try store.saved([club, Player(number: 3)])
    let (context, manager) = context(store)
    let players = try all(Player.self, context)
    let same = try #require(try all(Club.self, context).first)
    context.delete(try #require(players.first { $0.number == 1 }))
    same.players.append(try #require(players.first { $0.number == 3 }))
    context.delete(same)
    context.processPendingChanges()
    let other = store.context()
    let theirs = try #require(try all(Club.self, other).first)
    theirs.players.removeAll { $0.number == 1 }
    try other.save()
    manager.undo()
    #expect(same.players.map(\.number) == [2])
  }

  @Test(arguments: Place.allCases)
  func deletionReachesThoseWhomOthersAdded(_ place: Place) throws {
    let store = try store(place)
    let club = Club(number: 0)
    club.players = [Player(number: 1)]
    _ = try store.saved([club, Player(number: 3)])
    let (context, _) = context(store)
    let same = try #require(try all(Club.self, context).first)
    #expect(same.players.count == 1)
    let other = store.context()
    let third = try #require(try all(Player.self, other).first { $0.number == 3 })
    try #require(try all(Club.self, other).first).players.append(third)
    try other.save()
    let player = try #require(try all(Player.self, context).first { $0.number == 3 })
    #expect(player.clubs == [same])
    context.delete(same)
    #expect(player.clubs.isEmpty)
    try context.save()
    #expect(player.clubs.isEmpty)
  }

  /// A redo deletes as the program did: an insert takes it back with what followed from it.
  @Test(arguments: Place.allCases)
  func deletionThatWasRedoneIsTakenBackWhole(_ place: Place) throws {
    let store = try store(place)
    let club = Club(number: 0)
    club.players = [Player(number: 1), Player(number: 2)]
    let idol = Coach(number: 4)
    club.players[0].idol = idol
    _ = try store.saved([club])
    let (context, manager) = context(store)
    let same = try #require(try all(Club.self, context).first)
    let coach = try #require(try all(Coach.self, context).first)
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
    #expect(try all(Club.self, reader).first?.players.count == 2)
    #expect(try all(Player.self, reader).first { $0.number == 1 }?.idol?.number == 4)
  }

  @Test(arguments: Place.allCases, [false, true])
  func undoneInsertDoesNotTakeAlongWhatItWasGiven(_ place: Place, _ isSaved: Bool) throws {
    let store = try TestStore(place, Slideshow.self, Slide.self)
    _ = try store.saved([Slide(number: 1)])
    let (context, manager) = context(store)
    let slide = try #require(try all(Slide.self, context).first)
    let slideshow = Slideshow(number: 2)
    context.insert(slideshow)
    slideshow.slides = [slide]
    slideshow.cover = [slide]
    if isSaved { try context.save() } else { context.processPendingChanges() }
    manager.undo()
    #expect(!slide.isDeleted && slide.slideshows.isEmpty && slide.covers.isEmpty)
    try context.save()
    let reader = store.context()
    #expect(try all(Slide.self, reader).count == 1 && all(Slideshow.self, reader).isEmpty)
    manager.redo()
    #expect(slideshow.slides == [slide] && slideshow.cover == [slide] && slide.slideshows == [slideshow])
    try context.save()
    #expect(try all(Slide.self, store.context()).first?.covers.count == 1)
  }

  @Test(arguments: Place.allCases)
  func whatIsBackLosesItsKeyWithItsTarget(_ place: Place) throws {
    let store = try store(place)
    let player = Player(number: 1)
    player.pupil = Player(number: 2)
    _ = try store.saved([player])
    let (context, manager) = context(store)
    // The pupil is not in memory, so its mentor is not known at the undo.
    let same = try #require(
      try context.fetch(FetchDescriptor<Player>(predicate: #Predicate { $0.number == 1 })).first)
    context.delete(same)
    try context.save()
    manager.undo()
    let pupil = try #require(try all(Player.self, context).first { $0.number == 2 })
    #expect(same.pupil === pupil)
    context.delete(pupil)
    #expect(same.pupil == nil)
    try context.save()
    #expect(try all(Player.self, store.context()).map(\.number) == [1])
  }

  @Test(arguments: Place.allCases)
  func deletedObjectKeepsItsPairsWhateverOthersSave(_ place: Place) throws {
    let store = try store(place)
    let club = Club(number: 0)
    club.players = [Player(number: 1)]
    _ = try store.saved([club])
    let context = store.context()
    let same = try #require(try all(Club.self, context).first)
    #expect(same.players.count == 1)
    context.delete(same)
    _ = try store.saved([Coach(number: 9)])
    try context.save()
    #expect(same.players.map(\.number) == [1])
  }

  @Test(arguments: Place.allCases)
  func observerOfAListThatHidItIsTold(_ place: Place) throws {
    let store = try store(place)
    let player = Player(number: 1)
    player.clubs = [Club(number: 0), Club(number: 1)]
    _ = try store.saved([player])
    let (context, manager) = context(store)
    context.delete(try #require(try all(Club.self, context).first { $0.number == 0 }))
    context.processPendingChanges()
    let same = try #require(try all(Player.self, context).first)
    let told = Mutex(false)
    withObservationTracking {
      #expect(same.clubs.count == 1)
    } onChange: {
      told.withLock { $0 = true }
    }
    manager.undo()
    #expect(same.clubs.count == 2)
    #expect(told.withLock { $0 })
  }

  /// No step tells of a list in which the object did not stand when it was deleted.
  @Test(arguments: Place.allCases)
  func whatOthersPutIntoAListWhileItWasDeletedIsShown(_ place: Place) throws {
    let store = try store(place)
    _ = try store.saved([Player(number: 1), Coach(number: 2), Coach(number: 3)])
    let (context, manager) = context(store)
    let player = try #require(try all(Player.self, context).first)
    let coach = try #require(try all(Coach.self, context).first { $0.number == 2 })
    #expect(player.coaches.isEmpty)
    context.delete(coach)
    context.processPendingChanges()
    let other = store.context()
    try #require(try all(Player.self, other).first).coaches = try all(Coach.self, other)
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Coach>())
    #expect(player.coaches.map(\.number) == [3])
    manager.undo()
    #expect(player.coaches.map(\.number) == [2, 3])
    try context.save()
    #expect(try all(Player.self, store.context()).first?.coaches.map(\.number) == [2, 3])
  }

  @Test func undoOfADeletionTakesFewStatements() throws {
    func runs(_ count: Int) throws -> Int64 {
      let store = try store(.memory)
      let clubs = [Club(number: 0), Club(number: 1)]
      let players = (0..<count).map { Player(number: $0) }
      for club in clubs { club.players = players }
      _ = try store.saved(clubs)
      let (context, manager) = context(store)
      context.delete(try #require(try all(Club.self, context).first { $0.number == 0 }))
      context.processPendingChanges()
      return try store.writing { manager.undo() }.status.statementRuns
    }
    #expect(try runs(100) == runs(10))
  }
}
