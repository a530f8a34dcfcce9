import Observation
import SwiftData
import Synchronization
import Testing

@testable import LarderData

/// A commit can be read before its context has delivered it. A list that is read then is newer than the members that are in hand.
@Suite struct ListsAheadTests {
  /// Runs the body while nothing that others have committed is delivered, and the commit that is to be is under way.
  private func undelivered(_ context: ModelContext, _ body: () throws -> Void) rethrows {
    let mail = context.core.remoteChanges.drain()
    #expect(!mail.isEmpty)
    try delivering(mail, to: context, after: body)
  }

  private func delivering(
    _ mail: RemoteChangeQueue.Batch, to context: ModelContext, after body: () throws -> Void
  ) rethrows {
    let observers = context.core.sessions[0].store.observers
    observers.beginCommit()
    defer {
      context.core.remoteChanges.requeue(mail)
      observers.endCommit()
    }
    try body()
  }

  private struct Teams {
    let store: TestStore
    let (here, there): (ModelContext, ModelContext)
    let (squad, player, club): (Squad, Player, Club)
    let (ownSquad, ownPlayer, ownClub): (Squad, Player, Club)

    init(_ place: StoreLocation, isRelated: Bool = true) throws {
      store = try TestStore.ofTeams(place)
      (here, there) = (store.context(), store.context())
      (squad, player, club) = (Squad(number: 1), Player(number: 2), Club(number: 3))
      there.insert(squad)
      there.insert(player)
      there.insert(club)
      if isRelated { (player.squad, player.clubs) = (squad, [club]) }
      try there.save()
      ownSquad = try #require(try here.first(Squad.self, 1))
      ownPlayer = try #require(try here.first(Player.self, 2))
      ownClub = try #require(try here.first(Club.self, 3))
      _ = (ownPlayer.squad, ownPlayer.clubs)
    }

    func storedSquad() throws -> [Int] { try #require(try store.context().first(Squad.self, 1)).players.map(\.number) }
    func storedClub() throws -> [Int] { try #require(try store.context().first(Club.self, 3)).players.map(\.number) }
  }

  /// Whether the list has been read since, or never.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func memberThatOthersTookOutIsPutIn(_ place: StoreLocation, _ isRead: Bool) throws {
    let teams = try Teams(place)
    teams.squad.players = []
    try teams.there.save()
    try undelivered(teams.here) {
      _ = try teams.here.core.sessions[0].read { _ in }
      if isRead { #expect(teams.ownSquad.players.isEmpty) }
      // The player leads to the squad as before.
      let isTold = Atomic<Bool>(false)
      withObservationTracking {
        _ = teams.ownPlayer.squad
      } onChange: {
        isTold.store(true, ordering: .relaxed)
      }
      teams.ownSquad.players = [teams.ownPlayer]
      let toldOf = isTold.load(ordering: .relaxed)
      #expect(!toldOf)
    }
    try teams.here.save()
    #expect(try teams.storedSquad() == [2])
    #expect(teams.ownPlayer.squad?.number == 1 && teams.ownSquad.players.map(\.number) == [2])
  }

  /// The same of a one-to-one, whose key is at the other end.
  @Test(arguments: StoreLocation.allCases)
  func oneThatOthersPartedIsRelated(_ place: StoreLocation) throws {
    let teams = try Teams(place)
    teams.player.locker = Locker(number: 4)
    try teams.there.save()
    let ownLocker = try #require(try teams.here.first(Locker.self, 4))
    #expect(ownLocker.player === teams.ownPlayer && teams.ownPlayer.locker === ownLocker)
    teams.player.locker = nil
    try teams.there.save()
    try undelivered(teams.here) {
      _ = try teams.here.core.sessions[0].read { _ in }
      #expect(teams.ownPlayer.locker == nil)
      teams.ownPlayer.locker = ownLocker
    }
    try teams.here.save()
    for context in [teams.here, teams.store.context()] {
      #expect(try context.first(Player.self, 2)?.locker?.number == 4)
      #expect(try context.first(Locker.self, 4)?.player?.number == 2)
    }
  }

  /// A pair that one list has already, and the other not, is there once.
  @Test(arguments: StoreLocation.allCases)
  func pairIsOnceInBothLists(_ place: StoreLocation) throws {
    let teams = try Teams(place)
    let club = Club(number: 4)
    teams.here.insert(club)
    teams.ownPlayer.clubs.append(club)
    teams.club.players = []
    try teams.there.save()
    undelivered(teams.here) {
      #expect(teams.ownClub.players.isEmpty)
      teams.ownClub.players.append(teams.ownPlayer)
      #expect(teams.ownPlayer.clubs.map(\.number) == [3, 4])
    }
    try teams.here.save()
    #expect(try teams.storedClub() == [2])
    #expect(teams.ownPlayer.clubs.map(\.number).sorted() == [3, 4])
  }

  /// A rollback, an insert that meets a row and a commit of which nothing is in memory leave nothing to be taken over.
  @Test(arguments: StoreLocation.allCases)
  func nothingIsAheadOnceAllIsTakenOver(_ place: StoreLocation) throws {
    let store = try TestStore(place, Strongbox.self, Squad.self, Player.self)
    let (early, context) = (store.context(), store.context())
    let squad = Squad(number: 1)
    context.insert(Strongbox(1, "former"))
    context.insert(squad)
    try context.save()
    #expect(try early.all(Squad.self).count == 1 && !early.core.hasReadAhead())
    let player = Player(number: 2)
    context.insert(player)
    squad.players.append(player)
    _ = player.squad
    context.rollback()
    #expect(squad.players.isEmpty && !context.core.hasReadAhead())
    context.insert(Strongbox(1, "new"))
    try context.save()
    #expect(squad.players.isEmpty && !context.core.hasReadAhead())
    #expect(try early.all(Strongbox.self).map(\.owner) == ["new"] && !early.core.hasReadAhead())
  }

  /// A commit that a merge reads before it is delivered waits for the next merge.
  @Test(.directly("a snapshot of a file is where the commit comes"))
  func commitDuringAMergeWaits() throws {
    let teams = try Teams(.disk)
    let core = teams.here.core
    teams.player.weight = 1
    try teams.there.save()
    var mail: RemoteChangeQueue.Batch?
    core.sessions[0].willTakeSnapshot = {
      guard mail == nil else { return }
      teams.squad.weight = 2
      do { try teams.there.save() } catch { Issue.record(error) }
      mail = core.remoteChanges.drain()
    }
    core.mergeRemoteChangesIfNeeded()
    core.sessions[0].willTakeSnapshot = nil
    #expect(teams.ownPlayer.weight == 1)
    #expect(core.relationMarks.generation != core.relationMarks.mergedGeneration)
    core.remoteChanges.requeue(try #require(mail))
    _ = try teams.here.all(Squad.self)
    #expect(core.relationMarks.generation == core.relationMarks.mergedGeneration && teams.ownSquad.weight == 2)
  }

  /// A commit that a merge reads, and whose delivery comes after the merge has taken what waits, waits for the next one.
  @Test(arguments: StoreLocation.allCases)
  func commitThatIsDeliveredDuringAMergeWaits(_ place: StoreLocation) throws {
    let teams = try Teams(place)
    let core = teams.here.core
    teams.club.weight = 1
    try teams.there.save()
    let earlier = core.remoteChanges.drain()
    teams.squad.players = []
    try teams.there.save()
    let later = core.remoteChanges.drain()
    delivering(later, to: teams.here) {
      core.remoteChanges.requeue(earlier)
      core.mergeRemoteChangesIfNeeded()
      #expect(teams.ownClub.weight == 1)
      #expect(core.hasReadAhead() && core.relationMarks.hasToManysAheadOfMerge)
      // The list is of the later commit, the player is not.
      #expect(teams.ownSquad.players.isEmpty && teams.ownPlayer.squad?.number == 1)
      teams.ownSquad.players = [teams.ownPlayer]
    }
    try teams.here.save()
    #expect(try teams.storedSquad() == [2] && teams.ownPlayer.squad?.number == 1 && !core.hasReadAhead())
  }

  /// Nothing is delivered of a save that changes nothing.
  @Test(arguments: StoreLocation.allCases)
  func nothingIsAheadOfASaveOfWhatWasStored(_ place: StoreLocation) throws {
    let store = try TestStore(place, Strongbox.self)
    let (early, context) = (store.context(), store.context())
    context.insert(Strongbox(1, "one"))
    try context.save()
    #expect(try early.all(Strongbox.self).count == 1)
    // A data store takes no bulk upsert.
    for byUpsert in StoreOptions().usesDataStores ? [false] : [false, true] {
      let core = early.core
      if byUpsert {
        try context.upsert([1], into: Strongbox.self, by: \.number) { mapping in
          mapping.set(\.number) { $0 }
          mapping.set(\.owner) { _ in "one" }
        }
      } else {
        context.insert(Strongbox(1, "one"))
        try context.save()
      }
      _ = try early.fetchCount(FetchDescriptor<Strongbox>(predicate: #Predicate { $0.owner == "none" }))
      #expect(!core.remoteChanges.hasChanges && !core.hasReadAhead())
      #expect(core.relationMarks.generation == core.relationMarks.mergedGeneration)
    }
  }

  @Test func marksTellWhatIsAhead() {
    var marks = RelationshipGenerations()
    marks.recordRemoteCommit()
    let taken = marks.generation
    marks.recordRemoteCommit()
    marks.recordMerge(taken)
    #expect(marks.hasToManysAheadOfMerge && marks.generation != marks.mergedGeneration)
    marks.recordMerge(marks.generation, isComplete: false)
    #expect(marks.hasToManysAheadOfMerge && marks.generation != marks.mergedGeneration)
    marks.recordMerge(marks.generation)
    #expect(!marks.hasToManysAheadOfMerge && marks.generation == marks.mergedGeneration)
    marks.markToManysStale()
    marks.recordToManyLoad()
    #expect(!marks.hasToManysAheadOfMerge && marks.generation == marks.mergedGeneration)
  }

  @Test(arguments: StoreLocation.allCases)
  func listOfWhatIsStoredIsReadAgain(_ place: StoreLocation) throws {
    let teams = try Teams(place, isRelated: false)
    teams.squad.players = [teams.player]
    try teams.there.save()
    undelivered(teams.here) { #expect(teams.ownSquad.players.map(\.number) == [2]) }
    _ = try teams.here.all(Player.self)
    let filled = teams.here.core.relationships.loadedToManyCount
    #expect(teams.ownSquad.players.map(\.number) == [2])
    #expect(teams.here.core.relationships.loadedToManyCount == filled + 1)
  }

  /// What was pending when a list was read may have ended since.
  @Test(arguments: StoreLocation.allCases)
  func listsAreReadAgainOnceTheCommitIsTakenOver(_ place: StoreLocation) throws {
    let teams = try Teams(place)
    teams.here.mergePolicy = .mergeByPropertyStoreTrump
    let other = Squad(number: 5)
    teams.there.insert(other)
    try teams.there.save()
    let ownOther = try #require(try teams.here.first(Squad.self, 5))
    teams.ownPlayer.squad = nil
    teams.here.delete(teams.ownClub)
    (teams.player.squad, teams.club.weight) = (other, 6)
    try teams.there.save()
    undelivered(teams.here) {
      _ = (ownOther.players.count, teams.ownPlayer.clubs.count)
    }
    _ = try teams.here.all(Player.self)
    let filled = teams.here.core.relationships.loadedToManyCount
    _ = ownOther.players.count
    #expect(teams.here.core.relationships.loadedToManyCount == filled + 1)
    #expect(ownOther.players.map(\.number) == [2])
    try teams.here.save()
    for context in [teams.here, teams.store.context()] {
      let player = try #require(try context.first(Player.self, 2))
      #expect(player.squad?.number == 5)
      #expect(try context.first(Squad.self, 5)?.players.map(\.number) == [2])
      #expect(player.clubs.isEmpty)
      #expect(try context.all(Club.self).isEmpty)
    }
  }
}

extension ModelContext {
  fileprivate func first<Model: PersistentModel & Numbered>(_ type: Model.Type, _ number: Int) throws -> Model? {
    try all(type).first { $0.number == number }
  }
}

private protocol Numbered { var number: Int { get } }
extension Squad: Numbered {}
extension Player: Numbered {}
extension Club: Numbered {}
extension Locker: Numbered {}
