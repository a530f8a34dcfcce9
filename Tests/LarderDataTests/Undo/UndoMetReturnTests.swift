import LarderData
import SwiftData
import Testing

/// Two contexts undo the deletion of one object: there is one row, whoever saves first.
@Suite struct UndoMetReturnTests {
  /// When the context whose insert meets the row learns of it.
  enum Learning: CaseIterable { case byAFetch, byTheSave }

  /// A player with a squad, a club, a rival and a locker, which both contexts have pending as an insert under its former row.
  private struct Returned {
    let store: TestStore
    let (first, second): (ModelContext, ModelContext)
    let (here, there): (Player, Player)

    init(_ place: StoreLocation, _ policy: MergePolicy) throws {
      store = try TestStore.ofTeams(place)
      let (first, manager) = store.undoing()
      let (second, others) = store.undoing()
      second.mergePolicy = policy
      let (squad, club, rival) = (Squad(number: 1), Club(number: 2), Player(number: 3))
      for model in [squad, club, rival] as [any PersistentModel] { first.insert(any: model) }
      try first.save()
      let player = Player(number: 4)
      first.insert(player)
      player.squad = squad
      player.clubs = [club]
      player.rivals = [rival]
      player.locker = Locker(number: 5)
      try first.save()
      let same = try #require(try second.one(Player.self, 4))
      manager.undo()
      second.delete(same)
      try second.save()
      try first.save()
      manager.redo()
      others.undo()
      (self.first, self.second) = (first, second)
      here = try #require(try first.one(Player.self, 4))
      there = try #require(try second.one(Player.self, 4))
    }

    /// Saves the first context, and then the second, whose save is refused where there is a conflict.
    func save(_ learning: Learning, isConflict: Bool = false) throws {
      try first.save()
      if learning == .byAFetch { _ = try second.fetchCount(FetchDescriptor<Club>()) }
      guard isConflict else { return try second.save() }
      #expect(throws: SaveError.self) { try second.save() }
      second.rollback()
    }
  }

  @Test(arguments: StoreLocation.allCases, Learning.allCases)
  func thereIsOneRow(_ place: StoreLocation, _ learning: Learning) throws {
    for policy in MergePolicy.allCases {
      let returned = try Returned(place, policy)
      let name = returned.there.persistentModelID
      try returned.save(learning)
      #expect(returned.there.persistentModelID.key == name.key && !returned.second.hasChanges, "\(policy)")
      for context in [returned.first, returned.second, returned.store.context()] {
        let player = try #require(try context.one(Player.self, 4))
        #expect(player.squad?.number == 1 && player.clubs.map(\.number) == [2], "\(policy)")
        #expect(player.rivals.map(\.number) == [3] && player.locker?.number == 5, "\(policy)")
        #expect(try context.all(Player.self).count == 2 && context.all(Locker.self).count == 1, "\(policy)")
        #expect(try context.one(Squad.self, 1)?.players.map(\.number) == [4], "\(policy)")
      }
    }
  }

  /// What was edited since is an edit of the row.
  @Test(arguments: StoreLocation.allCases, Learning.allCases)
  func whatWasEditedSinceIsAnEdit(_ place: StoreLocation, _ learning: Learning) throws {
    for policy in MergePolicy.allCases {
      let returned = try Returned(place, policy)
      let coach = Coach(number: 6)
      returned.here.weight = 1
      returned.there.weight = 2
      returned.there.idol = coach
      try returned.save(learning, isConflict: policy == .error)
      let isMine = policy == .mergeByPropertyObjectTrump || policy == .overwrite
      for context in [returned.second, returned.store.context()] {
        let player = try #require(try context.one(Player.self, 4))
        #expect(player.weight == (isMine ? 2 : 1), "\(policy)")
        #expect(player.idol?.number == (isMine ? 6 : nil), "\(policy)")
        #expect(try context.all(Player.self).count == 2, "\(policy)")
      }
    }
  }

  /// Pairs that only one of the two has are kept, and nothing of them is left after the save.
  @Test(arguments: StoreLocation.allCases, Learning.allCases)
  func pairsOfBothAreKept(_ place: StoreLocation, _ learning: Learning) throws {
    for policy in MergePolicy.allCases {
      let returned = try Returned(place, policy)
      let (coach, club) = (Coach(number: 6), Club(number: 7))
      returned.second.insert(coach)
      returned.second.insert(club)
      returned.there.coaches = [coach]
      returned.there.clubs += [club]
      try returned.save(learning)
      for context in [returned.second, returned.store.context()] {
        let player = try #require(try context.one(Player.self, 4))
        #expect(player.coaches.map(\.number) == [6], "\(policy)")
        #expect(player.clubs.map(\.number) == [2, 7], "\(policy)")
        #expect(try context.one(Club.self, 7)?.players.count == 1, "\(policy)")
      }
      returned.here.clubs = []
      try returned.first.save()
      _ = try returned.second.fetchCount(FetchDescriptor<Club>())
      #expect(returned.there.clubs.map(\.number) == [7] && !returned.second.hasChanges, "\(policy)")
    }
  }

  /// To-ones that the program has set since are its edits, to nil as well, whichever end has the key.
  @Test(arguments: StoreLocation.allCases, Learning.allCases)
  func toOnesThatWereSetSinceAreEdits(_ place: StoreLocation, _ learning: Learning) throws {
    for policy in MergePolicy.allCases {
      let returned = try Returned(place, policy)
      returned.there.squad = nil
      returned.there.locker = Locker(number: 7)
      try returned.save(learning, isConflict: policy == .error)
      let isMine = policy == .mergeByPropertyObjectTrump || policy == .overwrite
      for context in [returned.second, returned.store.context()] {
        let player = try #require(try context.one(Player.self, 4))
        #expect(player.squad?.number == (isMine ? nil : 1), "\(policy)")
        #expect(player.locker?.number == (isMine ? 7 : 5), "\(policy)")
        #expect(try context.all(Locker.self).filter { $0.player != nil }.count == 1, "\(policy)")
      }
      #expect(try returned.store.container.integrityCheck().isEmpty, "\(policy)")
    }
  }

  /// The row is the same for the others whether the undo manager that brought it back is there or not.
  @Test(arguments: StoreLocation.allCases)
  func undoManagerMayBeGone(_ place: StoreLocation) throws {
    let returned = try Returned(place, .mergeByPropertyObjectTrump)
    returned.first.undoManager = nil
    try returned.first.save()
    returned.second.undoManager = nil
    try returned.second.save()
    #expect(try returned.store.context().all(Player.self).map(\.number).sorted() == [3, 4])
  }

  /// A row that comes back is another row for those who have an object of the former one, whatever its versions were.
  @Test(arguments: StoreLocation.allCases, 0...2)
  func othersSeeThatARowIsBack(_ place: StoreLocation, _ edits: Int) throws {
    let store = try TestStore(place, Strongbox.self)
    let (context, manager) = store.undoing()
    let box = Strongbox(1, "former")
    context.insert(box)
    try context.save()
    for edit in 0..<edits {
      box.owner = "former \(edit)"
      try context.save()
    }
    let other = store.context()
    let theirs = try #require(try other.all(Strongbox.self).first)
    context.delete(box)
    try context.save()
    manager.undo()
    // With its key, in one save.
    context.insert(Strongbox(1, "new"))
    try context.save()
    #expect(try other.all(Strongbox.self).map(\.owner) == ["new"])
    // Its object has the version that was written.
    context.mergePolicy = .error
    box.owner = "newer"
    try context.save()
    #expect(try other.all(Strongbox.self).map(\.owner) == ["newer"])
    let stored = try #require(try other.all(Strongbox.self).first)
    #expect(theirs.modelContext == nil || theirs === stored)
    stored.owner = "theirs"
    try other.save()
    #expect(try context.all(Strongbox.self).map(\.owner) == ["theirs"])
  }

  /// The object of a row that is back has the version that was written: an edit of it is no conflict.
  @Test(arguments: StoreLocation.allCases)
  func objectOfARowThatIsBackIsEdited(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let (context, manager) = store.undoing()
    context.mergePolicy = .error
    let crate = Crate(number: 1, text: "former")
    context.insert(crate)
    try context.save()
    context.delete(crate)
    try context.save()
    manager.undo()
    try context.save()
    crate.text = "edited"
    try context.save()
    #expect(try store.context().all(Crate.self).map(\.text) == ["edited"])
  }

  /// Two contexts bring it back in turn, each by what it knew of the row.
  @Test(arguments: StoreLocation.allCases)
  func othersSeeThatARowIsBackASecondTime(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let (first, manager) = store.undoing()
    let (second, others) = store.undoing()
    let crate = Crate(number: 1, text: "former")
    first.insert(crate)
    try first.save()
    let same = try #require(try second.all(Crate.self).first)
    manager.undo()
    second.delete(same)
    try second.save()
    try first.save()
    manager.redo()
    crate.text = "first's"
    try first.save()
    let third = store.context()
    let theirs = try #require(try third.all(Crate.self).first)
    #expect(theirs.text == "first's")
    first.delete(crate)
    try first.save()
    others.undo()
    try second.save()
    for context in [first, second, third, store.context()] {
      #expect(try context.all(Crate.self).map(\.text) == ["former"])
    }
  }

  /// Rows of a class and of those below it.
  @Test(arguments: StoreLocation.allCases)
  func rowsOfAHierarchyMeet(_ place: StoreLocation) throws {
    let store = try TestStore(place, Beast.self, Lynx.self, Cub.self, Den.self)
    let (first, manager) = store.undoing()
    let (second, others) = store.undoing()
    for number in 0..<4 { first.insert(number % 2 == 0 ? Lynx("\(number)", lives: 9) : Beast("\(number)")) }
    try first.save()
    for beast in try second.all(Beast.self) { second.delete(beast) }
    manager.undo()
    try second.save()
    try first.save()
    manager.redo()
    others.undo()
    try second.all(Beast.self).first { $0.name == "2" }?.name = "two"
    try first.save()
    #expect(try second.all(Beast.self).count == 4)
    try second.save()
    for context in [first, second, store.context()] {
      #expect(try context.all(Beast.self).map(\.name).sorted() == ["0", "1", "3", "two"])
      #expect(try context.all(Lynx.self).count == 2)
    }
  }
}

extension ModelContext {
  fileprivate func insert(any model: any PersistentModel) {
    func insert<Model: PersistentModel>(_ model: Model) { self.insert(model) }
    insert(model)
  }

  fileprivate func one<Model: Piece>(_ type: Model.Type, _ number: Int) throws -> Model? {
    try fetch(FetchDescriptor<Model>()).first { $0.number == number }
  }
}
