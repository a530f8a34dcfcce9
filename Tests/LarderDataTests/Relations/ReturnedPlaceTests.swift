import Foundation
import LarderData
import Testing

/// The places of members in a to-many that was changed here, while others save: a member that was moved or deleted here, and is
/// back, is not one that others have added, which would come behind what was added here.
@Suite struct ReturnedPlaceTests {
  private struct Setting {
    let store: TestStore
    let context: ModelContext
    let manager: UndoManager
    let squad: Squad
    let players: [Player]

    /// A squad with the guests 1 and 4, of the players from 1 to 5.
    init(_ place: StoreLocation, isLoaded: Bool, undoing: Bool = true) throws {
      store = try TestStore.ofTeams(place)
      let (saved, guests) = (Squad(number: 6), (1...5).map { Player(number: $0) })
      saved.guests = [guests[0], guests[3]]
      _ = try store.saved([saved] + guests)
      context = store.context()
      manager = UndoManager()
      if undoing { context.undoManager = manager }
      squad = try #require(try context.all(Squad.self).first)
      players = try context.all(Player.self).sorted { $0.number < $1.number }
      if isLoaded { #expect(squad.guests.count == 2) }
    }

    /// Another context edits a player, which is taken over.
    func meanwhile(_ number: Int) throws {
      let other = store.context()
      let player = try #require(try other.all(Player.self).first { $0.number == number })
      player.weight += 1
      try other.save()
      try meet()
    }

    func meet() throws { _ = try context.fetchCount(FetchDescriptor<Squad>()) }

    var shown: [Int] { squad.guests.map(\.number) }

    /// Saves, and finds the same here and in the store.
    func save(expecting expected: [Int], _ location: SourceLocation = #_sourceLocation) throws {
      #expect(shown == expected, sourceLocation: location)
      try context.save()
      #expect(shown == expected, sourceLocation: location)
      let stored = try #require(try store.context().all(Squad.self).first).guests
      #expect(stored.map(\.number) == expected, sourceLocation: location)
    }
  }

  @Test(arguments: StoreLocation.allCases, [false, true])
  func memberThatAnUndoMovesBackStaysBeforeWhatWasAdded(_ place: StoreLocation, _ isLoaded: Bool) throws {
    let setting = try Setting(place, isLoaded: isLoaded)
    setting.players[1].host = setting.squad
    setting.context.processPendingChanges()
    setting.players[3].host = nil
    setting.context.processPendingChanges()
    #expect(setting.shown == [1, 2])
    try setting.meanwhile(5)
    setting.manager.undo()
    #expect(setting.shown == [1, 4, 2])
    try setting.meanwhile(2)
    try setting.save(expecting: [1, 4, 2])
  }

  /// What is redone is as it is stored, and counts as no edit.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func memberThatARedoPutsBackStaysBeforeWhatWasAdded(_ place: StoreLocation, _ isLoaded: Bool) throws {
    let setting = try Setting(place, isLoaded: isLoaded)
    setting.squad.guests = []
    setting.context.processPendingChanges()
    try setting.meanwhile(4)
    setting.squad.guests = [setting.players[0]]
    setting.context.processPendingChanges()
    setting.manager.undo()
    #expect(setting.shown == [])
    setting.manager.redo()
    setting.players[1].host = setting.squad
    #expect(setting.shown == [1, 2])
    try setting.meanwhile(2)
    try setting.save(expecting: [1, 2])
  }

  @Test(arguments: StoreLocation.allCases, [false, true])
  func memberWhoseDeletionAnInsertTakesBackStaysBeforeWhatIsAdded(_ place: StoreLocation, _ isLoaded: Bool) throws {
    let setting = try Setting(place, isLoaded: isLoaded, undoing: false)
    setting.context.delete(setting.players[3])
    #expect(setting.shown == [1])
    try setting.meanwhile(5)
    setting.context.insert(setting.players[3])
    setting.players[1].host = setting.squad
    #expect(setting.shown == [1, 4, 2])
    try setting.meanwhile(2)
    try setting.save(expecting: [1, 4, 2])
  }

  /// The list of an object that is back is read anew: what others had put into it by then stands before what is added now.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func whatOthersHadAddedBeforeAListWasReadAnewStaysWhereItWasShown(_ place: StoreLocation, _ isLoaded: Bool) throws {
    let setting = try Setting(place, isLoaded: isLoaded)
    setting.players[2].host = setting.squad
    setting.context.processPendingChanges()
    setting.context.delete(setting.squad)
    setting.context.processPendingChanges()
    let other = setting.store.context()
    let theirs = try #require(try other.all(Squad.self).first)
    theirs.guests.append(try #require(try other.all(Player.self).first { $0.number == 5 }))
    try other.save()
    try setting.meet()
    setting.manager.undo()
    #expect(setting.shown == [1, 4, 3, 5])
    setting.players[2].host = nil
    setting.players[1].host = setting.squad
    #expect(setting.shown == [1, 4, 5, 2])
    try setting.meanwhile(2)
    try setting.save(expecting: [1, 4, 5, 2])
  }

  /// Its key is as it is stored, and is no edit after the undo any more than the list is; what others save has that read anew.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func memberThatLeftAndCameBackWithinAStepStandsWhereItStoodAfterItsUndo(
    _ place: StoreLocation, _ areOthersThere: Bool
  ) throws {
    let setting = try Setting(place, isLoaded: true)
    setting.squad.guests = [setting.players[3]]
    setting.squad.guests = [setting.players[3], setting.players[0], setting.players[1]]
    setting.context.processPendingChanges()
    if areOthersThere {
      let other = setting.store.context()
      other.insert(Coach(number: 7))
      try other.save()
    }
    setting.manager.undo()
    #expect(setting.shown == [1, 4])
    #expect(!setting.context.hasChanges)
    try setting.save(expecting: [1, 4])
  }
}
