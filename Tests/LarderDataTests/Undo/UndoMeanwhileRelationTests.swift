import Foundation
import LarderData
import Testing

/// Deletions that are undone although others have changed meanwhile what was related to them.
@Suite struct UndoMeanwhileRelationTests {
  /// What was never saved goes with the deletion of what it hangs on, which is carried on again when others save.
  @Test(arguments: StoreLocation.allCases)
  func whatWasNeverSavedLeavesNoRowToBeDeleted(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Coach(number: 1)])
    let (context, manager) = store.undoing()
    let coach = try #require(try context.all(Coach.self).first)
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
    #expect(try store.context().all(Coach.self).map(\.number).sorted() == Array(10..<20))
  }

  /// What another context takes out of a list, or puts into it, while its owner is deleted here stays so.
  @Test(arguments: StoreLocation.allCases)
  func pairsThatOthersChangedMeanwhileStayChanged(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let club = Club(number: 0)
    let players = (1...3).map { Player(number: $0) }
    club.players = [players[0], players[1]]
    _ = try store.saved([club] + players)
    let (context, manager) = store.undoing()
    let same = try #require(try context.all(Club.self).first)
    #expect(same.players.count == 2)
    context.delete(same)
    context.processPendingChanges()

    let other = store.context()
    let theirs = try #require(try other.all(Club.self).first)
    let third = try #require(try other.all(Player.self).first { $0.number == 3 })
    theirs.players = [theirs.players[1], third]
    try other.save()

    manager.undo()
    #expect(same.players.map(\.number) == [2, 3])
    for player in try context.all(Player.self) { #expect(player.clubs.isEmpty == (player.number == 1)) }
    try context.save()
    #expect(try store.context().all(Club.self).first?.players.map(\.number) == [2, 3])
  }

  /// What others save after the undo meets lists that are not edited, or know what they were.
  @Test(arguments: StoreLocation.allCases)
  func pairsThatOthersAddAfterTheUndoStay(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let club = Club(number: 0)
    club.players = [Player(number: 1)]
    _ = try store.saved([club, Club(number: 1)])
    let (context, manager) = store.undoing()
    let same = try #require(try context.all(Club.self).first { $0.number == 0 })
    let player = try #require(same.players.first)
    context.delete(same)
    context.processPendingChanges()
    manager.undo()
    #expect(player.clubs == [same])

    let other = store.context()
    let second = try #require(try other.all(Club.self).first { $0.number == 1 })
    second.players = try other.all(Player.self)
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Club>())
    #expect(player.clubs.count == 2)
    try context.save()
    #expect(try store.context().all(Player.self).first?.clubs.count == 2)
  }

  @Test(arguments: StoreLocation.allCases)
  func toOneIsNilWhereOthersDeletedWhatItLedTo(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let player = Player(number: 1)
    player.idol = Coach(number: 2)
    _ = try store.saved([player])
    let (context, manager) = store.undoing()
    context.delete(try #require(try context.all(Player.self).first))
    try context.save()
    let other = store.context()
    other.delete(try #require(try other.all(Coach.self).first))
    try other.save()
    manager.undo()
    let back = try #require(try context.all(Player.self).first)
    #expect(back.idol == nil)
    try context.save()
    #expect(try store.context().all(Player.self).count == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func oneToOneThatOthersMadeMeanwhileStaysOne(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let player = Player(number: 1)
    player.locker = Locker(number: 1)
    _ = try store.saved([player, Locker(number: 2)])
    let (context, manager) = store.undoing()
    context.delete(try #require(try context.all(Locker.self).first { $0.number == 1 }))
    try context.save()
    let other = store.context()
    let theirs = try #require(try other.all(Player.self).first)
    theirs.locker = try other.all(Locker.self).first
    try other.save()
    manager.undo()
    try context.save()
    let holders = try store.context().all(Locker.self).filter { $0.player != nil }
    #expect(holders.map(\.number) == [2])
    #expect(try context.all(Locker.self).count == 2)
  }

  @Test(arguments: StoreLocation.allCases)
  func whatOthersMovedMeanwhileIsInItsNewList(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let (one, two) = (Squad(number: 1), Squad(number: 2))
    one.players = [Player(number: 7)]
    _ = try store.saved([one, two])
    let (context, manager) = store.undoing()
    let second = try #require(try context.all(Squad.self).first { $0.number == 2 })
    let player = try #require(try context.all(Player.self).first)
    context.delete(player)
    context.processPendingChanges()
    let other = store.context()
    try #require(try other.all(Player.self).first).squad = try other.all(Squad.self).first { $0.number == 2 }
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Squad>())
    #expect(second.players.isEmpty)
    manager.undo()
    #expect(player.squad === second)
    #expect(second.players == [player])
    try context.save()
    #expect(try store.context().all(Squad.self).first { $0.number == 2 }?.players.count == 1)
  }

  /// By another program, which takes numbers as it likes.
  @Test(arguments: StoreLocation.allCases)
  func aStrangerUnderTheNumberOfWhatWasNeverSavedIsNotDeleted(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Coach(number: 1)])
    let (context, _) = store.undoing()
    let coach = try #require(try context.all(Coach.self).first)
    let apprentice = Coach(number: 2)
    coach.apprentice = apprentice
    let row = apprentice.persistentModelID.key
    context.delete(coach)
    context.processPendingChanges()
    try store.execute("INSERT INTO Coach (larder_id, number, weight) VALUES (\(row), 99, 0)")
    let stranger = try #require(try context.all(Coach.self).first { $0.number == 99 })
    _ = try store.saved([Coach(number: 10)])
    _ = try context.fetchCount(FetchDescriptor<Coach>())
    #expect(!stranger.isDeleted)
    try context.save()
    #expect(try store.context().all(Coach.self).map(\.number).sorted() == [10, 99])
  }

  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases)
  func aStrangerUnderTheNumberOfWhatIsGoneKeepsItsValues(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Coach(number: 1)])
    let (context, manager) = store.undoing()
    let coach = try #require(try context.all(Coach.self).first)
    let row = coach.persistentModelID.key
    context.delete(coach)
    try context.save()
    try store.execute("INSERT INTO Coach (larder_id, number, weight) VALUES (\(row), 99, 0)")
    manager.undo()
    try context.save()
    #expect(try store.context().all(Coach.self).contains { $0.number == 99 })
  }

  @Test(arguments: StoreLocation.allCases)
  func whatOthersTookOutOfAListThatHidItStaysOut(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let club = Club(number: 0)
    club.players = [Player(number: 1), Player(number: 2)]
    _ = try store.saved([club, Player(number: 3)])
    let (context, manager) = store.undoing()
    let players = try context.all(Player.self)
    context.delete(try #require(players.first { $0.number == 1 }))
    _ = try context.fetchCount(FetchDescriptor<Player>())
    let same = try #require(try context.all(Club.self).first)
    same.players.append(try #require(players.first { $0.number == 3 }))
    context.delete(same)
    context.processPendingChanges()
    let other = store.context()
    let theirs = try #require(try other.all(Club.self).first)
    theirs.players.removeAll { $0.number == 1 }
    try other.save()
    manager.undo()
    #expect(same.players.map(\.number) == [2])
    try context.save()
    #expect(try store.context().all(Club.self).first?.players.map(\.number) == [2])
  }

  @Test(arguments: StoreLocation.allCases)
  func deletionReachesThoseWhomOthersAdded(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let club = Club(number: 0)
    club.players = [Player(number: 1)]
    _ = try store.saved([club, Player(number: 3)])
    let (context, _) = store.undoing()
    let same = try #require(try context.all(Club.self).first)
    #expect(same.players.count == 1)
    let other = store.context()
    let third = try #require(try other.all(Player.self).first { $0.number == 3 })
    try #require(try other.all(Club.self).first).players.append(third)
    try other.save()
    let player = try #require(try context.all(Player.self).first { $0.number == 3 })
    #expect(player.clubs == [same])
    context.delete(same)
    #expect(player.clubs.isEmpty)
    try context.save()
    #expect(player.clubs.isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func deletedObjectKeepsItsPairsWhateverOthersSave(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let club = Club(number: 0)
    club.players = [Player(number: 1)]
    _ = try store.saved([club])
    let context = store.context()
    let same = try #require(try context.all(Club.self).first)
    #expect(same.players.count == 1)
    context.delete(same)
    _ = try store.saved([Coach(number: 9)])
    try context.save()
    #expect(same.players.map(\.number) == [1])
  }

  /// No step tells of a list in which the object did not stand when it was deleted.
  @Test(arguments: StoreLocation.allCases)
  func whatOthersPutIntoAListWhileItWasDeletedIsShown(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Coach(number: 2), Coach(number: 3)])
    let (context, manager) = store.undoing()
    let player = try #require(try context.all(Player.self).first)
    let coach = try #require(try context.all(Coach.self).first { $0.number == 2 })
    #expect(player.coaches.isEmpty)
    context.delete(coach)
    context.processPendingChanges()
    let other = store.context()
    try #require(try other.all(Player.self).first).coaches = try other.all(Coach.self)
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Coach>())
    #expect(player.coaches.map(\.number) == [3])
    manager.undo()
    #expect(player.coaches.map(\.number) == [2, 3])
    try context.save()
    #expect(try store.context().all(Player.self).first?.coaches.map(\.number) == [2, 3])
  }

  /// What was taken out of a list, and deleted then, stays out of it, whatever others save meanwhile.
  @Test(arguments: StoreLocation.allCases)
  func whatWasTakenOutBeforeItsDeletionStaysOut(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    let player = Player(number: 1)
    player.coaches = [Coach(number: 2), Coach(number: 3)]
    _ = try store.saved([player])
    let (context, manager) = store.undoing()
    let same = try #require(try context.all(Player.self).first)
    let coach = try #require(same.coaches.first)
    same.coaches.removeFirst()
    context.processPendingChanges()
    context.delete(coach)
    context.processPendingChanges()
    let other = store.context()
    let theirs = try #require(try other.all(Player.self).first)
    theirs.weight = 2
    theirs.coaches.append(Coach(number: 4))
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Player>())
    manager.undo()
    #expect(same.coaches.map(\.number) == [3, 4])
    try context.save()
    #expect(try store.context().all(Player.self).first?.coaches.map(\.number) == [3, 4])
  }

  /// An object that others have changed, and is not edited any more, is as they have saved it.
  @Test(arguments: StoreLocation.allCases, [MergePolicy.error, .overwrite])
  func undoneEditLeavesNoConflict(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Locker(number: 2), Player(number: 3)])
    let (context, manager) = store.undoing()
    context.mergePolicy = policy
    let players = try context.all(Player.self).sorted { $0.number < $1.number }
    let locker = try #require(try context.all(Locker.self).first)
    players[0].number = 4
    players[0].locker = locker
    context.processPendingChanges()
    let other = store.context()
    let theirs = try other.all(Player.self).sorted { $0.number < $1.number }
    theirs[0].weight = 5
    theirs[1].locker = try other.all(Locker.self).first
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Player>())
    manager.undo()
    #expect(!context.hasChanges)
    #expect(players[0].number == 1 && players[0].weight == 5)
    #expect(locker.player === players[1] && players[1].locker === locker && players[0].locker == nil)
    try context.save()
    #expect(try store.context().all(Locker.self).first?.player?.number == 3)
  }

  /// Only what the undone step changed ends to be a change; what was set to what it had been is meant.
  @Test(arguments: StoreLocation.allCases)
  func editOfAnotherStepIsKeptWhereOthersHaveChangedIt(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Player(number: 2)])
    let (context, manager) = store.undoing()
    context.mergePolicy = .overwrite
    let players = try context.all(Player.self).sorted { $0.number < $1.number }
    players[1].weight = 2
    let other = store.context()
    try #require(try other.all(Player.self).first { $0.number == 2 }).weight = 5
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Player>())
    players[1].weight = 0
    context.processPendingChanges()
    players[0].number = 7
    context.processPendingChanges()
    manager.undo()
    #expect(players[1].weight == 0)
    try context.save()
    #expect(try store.context().all(Player.self).map(\.weight) == [0, 0])
  }

  /// A redo sets the other end of a to-one, and what others save has that end read anew. It is still led to by what is
  /// deleted then, and by nobody else.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func toOneThatWasRedoneComesBackWithItsHolder(_ place: StoreLocation, _ isItsOwn: Bool) throws {
    let store = try TestStore.ofTeams(place)
    let (context, mentee, mentor) = try redoneMentor(store, isItsOwn)
    let other = store.context()
    for player in try other.all(Player.self) { player.weight = 5 }
    try other.save()
    try forgetMentors(context, mentor)
    context.delete(mentor)
    context.processPendingChanges()
    context.insert(mentor)
    #expect(mentee.mentor === mentor && mentor.pupil === mentee)
    try context.save()
    let seen = try store.context().all(Player.self)
    let stored = try #require(seen.first { $0.number == 2 })
    #expect(stored.pupil?.number == mentee.number && stored.pupil?.mentor === stored)
    #expect(seen.allSatisfy { $0.weight == 5 })
  }

  /// A player and its mentor, of which an undo took the insert back until the redo. The pupil has the row's key.
  private func redoneMentor(
    _ store: TestStore, _ isItsOwn: Bool
  ) throws -> (ModelContext, mentee: Player, mentor: Player) {
    _ = try store.saved([Player(number: 1), Branch(number: 0)])
    let (context, manager) = store.undoing()
    let first = try #require(try context.all(Player.self).first)
    let branch = try #require(try context.all(Branch.self).first)
    let mentor = Player(number: 2)
    context.insert(mentor)
    let mentee = isItsOwn ? mentor : first
    mentee.mentor = mentor
    try context.save()
    branch.number = 1
    try context.save()
    manager.undo()
    manager.undo()
    #expect(mentor.isDeleted)
    manager.redo()
    // The branch is edited still, so that the context goes on knowing what was deleted.
    #expect(mentee.mentor === mentor && context.hasChanges)
    return (context, mentee, mentor)
  }

  /// Takes over what others have saved; the first to-one without a key of its own that is read then has all read anew.
  private func forgetMentors(_ context: ModelContext, _ player: Player) throws {
    _ = try context.fetchCount(FetchDescriptor<Branch>())
    #expect(player.locker == nil)
  }

  /// A redo leads a to-one where it led before others led it elsewhere: that is an edit, and others may lead it elsewhere again.
  @Test(
    arguments: [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite], [false, true])
  func aRedoThatOthersHaveOvertakenIsAnEdit(_ policy: MergePolicy, _ learns: Bool) throws {
    for place in StoreLocation.allCases {
      let store = try TestStore(place, Jetty.self, Barge.self)
      _ = try store.saved([Jetty("1"), Barge("a"), Barge("b"), Barge("c")])
      let (context, manager) = store.undoing()
      context.mergePolicy = policy
      let jetty = try #require(try context.all(Jetty.self).first)
      let barges = try context.fetch(FetchDescriptor<Barge>(sortBy: [SortDescriptor(\.name)]))
      let other = store.context()
      let theirs = try #require(try other.all(Jetty.self).first)
      let their = try other.fetch(FetchDescriptor<Barge>(sortBy: [SortDescriptor(\.name)]))
      barges[2].flagOf = jetty
      try context.save()
      manager.undo()
      their[0].flagOf = theirs
      try other.save()
      manager.redo()
      #expect(jetty.flagship === barges[2])
      theirs.flagship = their[1]
      try other.save()
      if learns { _ = try context.fetchCount(FetchDescriptor<Jetty>()) }
      manager.undo()
      func check(_ context: ModelContext) throws {
        let flagged = try context.all(Barge.self).filter { $0.flagOf != nil }
        let flagship = try context.all(Jetty.self).first?.flagship
        #expect(flagged.count == 1 && flagged.first === flagship, "\(place)")
      }
      try check(context)
      try context.save()
      try check(context)
      try check(store.context())
      #expect(try store.container.integrityCheck().isEmpty, "\(place)")
    }
  }

  /// Three players. Here the third has the second as its partner, pending; elsewhere the second was deleted, brought back, and made
  /// the partner of the first.
  private struct Partners {
    let store: TestStore
    let context: ModelContext
    let manager: UndoManager
    let here: [Player]

    init(_ place: StoreLocation, _ policy: MergePolicy) throws {
      store = try TestStore.ofTeams(place)
      _ = try store.saved((1...3).map { Player(number: $0) })
      (context, manager) = store.undoing()
      let (other, others) = store.undoing()
      context.mergePolicy = policy
      here = try Partners.players(context)
      let there = try Partners.players(other)
      here[2].partner = here[1]
      other.delete(there[1])
      try other.save()
      others.undo()
      _ = try context.all(Player.self)
      there[0].partner = there[1]
      try other.save()
    }

    static func players(_ context: ModelContext) throws -> [Player] {
      try context.fetch(FetchDescriptor<Player>(sortBy: [SortDescriptor(\.number)]))
    }
  }

  /// A to-one that mirrors itself, and leads to an object that comes back as another's, has one partner once it is set to nil.
  @Test(arguments: StoreLocation.allCases, MergePolicy.allCases)
  func oneThatCameBackAsAnothersHasOnePartner(_ place: StoreLocation, _ policy: MergePolicy) throws {
    for isByHand in [false, true] {
      let partners = try Partners(place, policy)
      let context = partners.context
      if isByHand { partners.here[2].partner = nil } else { partners.manager.undo() }
      if policy == .error {
        // Two contexts have edited it.
        #expect(throws: SaveError.self) { try context.save() }
        context.rollback()
      } else {
        try context.save()
      }
      for context in [context, partners.store.context()] {
        let players = try Partners.players(context)
        #expect(players.count == 3 && players[2].partner == nil)
        // The one that came back is led to nobody by this context, or by the others to another.
        let areTheirs = policy == .mergeByPropertyStoreTrump || policy == .error
        #expect(players.map { $0.partner?.number } == (areTheirs ? [2, 1, nil] : [nil, nil, nil]))
      }
      #expect(try partners.store.container.integrityCheck().isEmpty)
    }
  }

  /// The same while the partner is still set here, which ``MergePolicy/error`` refuses.
  @Test(arguments: StoreLocation.allCases)
  func oneThatCameBackAsAnothersIsAConflict(_ place: StoreLocation) throws {
    let partners = try Partners(place, .error)
    _ = try partners.context.all(Player.self)
    let error = #expect(throws: SaveError.self) { try partners.context.save() }
    #expect(error?.code == .mergeConflict)
    partners.context.rollback()
    for context in [partners.context, partners.store.context()] {
      #expect(try Partners.players(context).map { $0.partner?.number } == [2, 1, nil])
    }
  }
}
