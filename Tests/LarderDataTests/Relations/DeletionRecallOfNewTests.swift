import Foundation
import LarderData
import LarderSQLite
import LarderSupport
import Observation
import Testing

/// Deletions of what was never saved.
@Suite struct DeletionRecallOfNewTests {
  @Test(arguments: StoreLocation.allCases)
  func whatLeavesKeepsWhatItWasRelatedTo(_ place: StoreLocation) throws {
    let store = try TestStore(place, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self)
    let squad = Squad(number: 7)
    let context = try store.saved([squad])
    let kit = Kit(number: 1, squad: squad)
    context.insert(kit)
    context.delete(kit)
    #expect(kit.squad.number == 7)
    #expect(kit.modelContext == nil)
    // One that goes by a cascade that nobody has looked at yet.
    let player = Player(number: 2)
    player.squad = squad
    player.host = squad
    context.delete(squad)
    #expect(player.host === squad)
    #expect(player.clubs.isEmpty)
    #expect(player.modelContext == nil)
    player.number = 3
    #expect(player.number == 3)
  }

  @Test(arguments: StoreLocation.allCases)
  func whatHasLeftIsInsertedByTheNextRelation(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let (old, new) = (Family(name: "old"), Family(name: "new"))
    let context = try store.saved([old, new])
    let member = Member(name: "m", family: old)
    context.insert(member)
    context.delete(old)
    member.family = new
    #expect(member.family === new)
    #expect(new.members == [member])
    try context.save()
    #expect(try store.rows("SELECT name FROM Member") == [[.text("m")]])
  }

  @Test(arguments: StoreLocation.allCases)
  func ownerThatWasNeverSavedComesBackWithWhatWentAlong(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self, Article.self)
    let (member, other) = (Member(name: "m"), Member(name: "o"))
    let article = Article(title: "a")
    let context = try store.saved([member, other, article])
    let family = Family(name: "new")
    context.insert(family)
    family.members = [member, other]
    let picture = Picture(path: "p")
    article.cover = picture
    context.delete(family)
    #expect(try context.fetchCount(FetchDescriptor<Member>()) == 0)
    // For its own sake.
    context.delete(other)
    context.delete(picture)
    #expect(article.cover == nil)
    context.insert(family)
    context.insert(picture)
    #expect(family.members == [member])
    #expect(member.family === family)
    #expect(article.cover === picture)
    try context.save()
    #expect(try store.rows("SELECT name, family IS NULL FROM Member") == [[.text("m"), .integer(0)]])
  }

  @Test(arguments: StoreLocation.allCases)
  func whatWasNeverSavedDoesNotComeBackWithItsOwner(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let family = Family(name: "f")
    let context = try store.saved([family])
    let member = Member(name: "m", family: family)
    context.insert(member)
    context.delete(family)
    #expect(try context.fetchCount(FetchDescriptor<Member>()) == 0)
    context.insert(family)
    #expect(member.modelContext == nil)
    #expect(family.members.isEmpty)
    try context.save()
    #expect(try store.rows("SELECT * FROM Member") == [])
  }

  @Test(arguments: StoreLocation.allCases)
  func savingAfterADeletionOfWhatWasNeverSavedTellsNobody(_ place: StoreLocation) throws {
    let store = try TestStore(place, Node.self)
    let root = Node(name: "root")
    let context = try store.saved([root])
    let log = SaveLog(context)
    let told = Locked(0)
    let node = Node(name: "x")
    node.parent = root
    withObservationTracking {
      _ = root.children
    } onChange: {
      told.withLock { $0 += 1 }
    }
    context.delete(node)
    #expect(told.withLock { $0 } == 1)
    context.rollback()
    let alone = Node(name: "y")
    context.insert(alone)
    context.delete(alone)
    #expect(!context.hasChanges)
    try context.save()
    #expect(log.saves.isEmpty)
  }

  /// What must lead to something, and does not any more, reads as what it last led to.
  @Test(arguments: StoreLocation.allCases)
  func lostObjectCanBeReadOnceItsHolderIsBack(_ place: StoreLocation) throws {
    let store = try TestStore(place, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self)
    let kit = Kit(number: 1, squad: Squad(number: 7))
    let context = try store.saved([kit])
    let new = Squad(number: 2)
    context.insert(new)
    kit.squad = new
    context.delete(kit)
    context.delete(new)
    context.insert(kit)
    #expect(kit.squad.number == 2)
    #expect(throws: SaveError.self) { try context.save() }
    context.insert(new)
    kit.squad = new
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Kit>()).first?.squad.number == 2)
  }

  /// Nothing is kept once nothing is pending, though the context goes on.
  @Test func whatLeftIsLetGoWhenNothingIsPending() throws {
    let store = try TestStore(.memory, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self)
    let context = store.context()
    weak var lost: Squad?
    weak var kept: Kit?
    do {
      let squad = Squad(number: 7)
      let kit = Kit(number: 1, squad: squad)
      (lost, kept) = (squad, kit)
      context.insert(kit)
      context.delete(squad)
      #expect(kit.squad === squad)
      context.delete(kit)
      #expect(!context.hasChanges)
    }
    #expect(lost == nil)
    #expect(kept == nil)
  }
}
