import LarderData
import SwiftData
import Testing

@Model final class Strongbox {
  @Attribute(.unique) var number: Int
  var owner: String
  init(_ number: Int, _ owner: String) {
    self.number = number
    self.owner = owner
  }
}

@Model final class Drawerful {
  #Unique<Drawerful>([\.room, \.number])
  var room: Int
  var number: Int
  init(_ room: Int, _ number: Int) {
    self.room = room
    self.number = number
  }
}

/// Edits of unique attributes of rows that others have changed meanwhile.
@Suite struct MergedKeyTests {
  private struct Two {
    let store: TestStore
    let mine: ModelContext
    let boxes: [Strongbox]
    let theirs: ModelContext
    let others: [Strongbox]
  }

  private func two(_ policy: MergePolicy, _ place: StoreLocation) throws -> Two {
    let store = try TestStore(place, Strongbox.self)
    _ = try store.saved([Strongbox(1, "a"), Strongbox(2, "b"), Strongbox(3, "c")])
    let (mine, theirs) = (store.context(), store.context())
    mine.mergePolicy = policy
    let byNumber = FetchDescriptor<Strongbox>(sortBy: [SortDescriptor(\.number)])
    return Two(
      store: store, mine: mine, boxes: try mine.fetch(byNumber), theirs: theirs, others: try theirs.fetch(byNumber))
  }

  private func rows(_ store: TestStore) throws -> [String] {
    try store.context().fetch(FetchDescriptor<Strongbox>(sortBy: [SortDescriptor(\.number)])).map {
      "\($0.number)\($0.owner)"
    }
  }

  static let forcing: [MergePolicy] = [.mergeByPropertyObjectTrump, .overwrite]

  @Test(arguments: forcing, [true, false])
  func keysOfRowsThatOthersChangedAreSwapped(_ policy: MergePolicy, _ merges: Bool) throws {
    let two = try two(policy, .disk)
    two.mine.automaticallyMergesChanges = merges
    (two.boxes[0].number, two.boxes[1].number) = (2, 1)
    for box in two.others { box.owner += "!" }
    try two.theirs.save()
    try two.mine.save()
    #expect(try rows(two.store) == (policy == .overwrite ? ["1b", "2a", "3c!"] : ["1b!", "2a!", "3c!"]))
    #expect(try two.mine.fetch(FetchDescriptor<Strongbox>()).allSatisfy { !$0.hasChanges })
  }

  /// Others have swapped keys, and what is written goes back to the former ones, which nothing of the edits tells.
  @Test(arguments: [true, false]) func formerKeysAreWrittenOverSwappedOnes(_ merges: Bool) throws {
    let two = try two(.overwrite, .disk)
    two.mine.automaticallyMergesChanges = merges
    for box in two.boxes { box.owner += "?" }
    (two.others[0].number, two.others[1].number, two.others[2].number) = (2, 3, 1)
    try two.theirs.save()
    try two.mine.save()
    #expect(try rows(two.store) == ["1a?", "2b?", "3c?"])
  }

  /// Of rows that nobody else has changed only what was edited is written: their keys stay.
  @Test func keysOfOtherRowsStay() throws {
    let two = try two(.overwrite, .disk)
    two.mine.automaticallyMergesChanges = false
    for box in two.boxes { box.owner += "?" }
    (two.others[0].number, two.others[1].number) = (2, 1)
    try two.theirs.save()
    try two.mine.save()
    #expect(try rows(two.store) == ["1a?", "2b?", "3c?"])
  }

  @Test(arguments: forcing, [true, false])
  func aKeyThatOthersTookIsAConflict(_ policy: MergePolicy, _ merges: Bool) throws {
    let two = try two(policy, .disk)
    two.mine.automaticallyMergesChanges = merges
    two.boxes[0].number = 4
    two.others[0].owner = "a!"
    two.theirs.insert(Strongbox(4, "d"))
    try two.theirs.save()
    let error = #expect(throws: SaveError.self) { try two.mine.save() }
    #expect(error?.code == .uniquenessConflict)
    #expect(error?.properties == ["number"])
    #expect(try rows(two.store) == ["1a!", "2b", "3c", "4d"])
    two.boxes[0].number = 5
    try two.mine.save()
    #expect(try rows(two.store).last == (policy == .overwrite ? "5a" : "5a!"))
  }

  /// Half of the key is mine and half is theirs, and the two together are another row's.
  @Test(arguments: [true, false]) func aKeyOfTwoThatIsTakenNamesWhoHasIt(_ merges: Bool) throws {
    let store = try TestStore(.disk, Drawerful.self)
    _ = try store.saved([Drawerful(1, 1), Drawerful(2, 2)])
    let (mine, theirs) = (store.context(), store.context())
    mine.mergePolicy = .mergeByPropertyObjectTrump
    mine.automaticallyMergesChanges = merges
    let byRoom = FetchDescriptor<Drawerful>(sortBy: [SortDescriptor(\.room)])
    let (here, there) = (try mine.fetch(byRoom), try theirs.fetch(byRoom))
    here[0].room = 2
    there[0].number = 2
    try theirs.save()
    let error = #expect(throws: SaveError.self) { try mine.save() }
    #expect(error?.code == .uniquenessConflict)
    #expect(error?.properties == ["room, number"])
    #expect(error?.identifiers == here.map(\.persistentModelID))
  }
}
