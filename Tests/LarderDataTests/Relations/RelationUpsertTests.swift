import Foundation
import Testing

@testable import LarderData

/// Inserts that turn out to be rows that are there, with what they are related to.
@Suite struct RelationUpsertTests {
  private func store() throws -> TestStore {
    let store = try TestStore(.memory, Account.self, Region.self, Entry.self, Tag.self)
    let context = store.context()
    let account = Account("1")
    account.entries = [Entry("a"), Entry("b")]
    account.labels = [Tag(name: "x")]
    account.region = Region("old")
    context.insert(account)
    try context.save()
    return store
  }

  private func newcomer() -> Account {
    let account = Account("1")
    account.entries = [Entry("c"), Entry("d")]
    account.labels = [Tag(name: "y")]
    account.region = Region("new")
    return account
  }

  private func check(_ account: Account) {
    #expect(account.entries.map(\.text) == ["a", "b", "c", "d"])
    #expect(account.entries.allSatisfy { $0.account === account })
    #expect(Set(account.labels.map(\.name)) == ["x", "y"])
    #expect(account.region?.name == "new")
    #expect(account.region?.accounts == [account])
  }

  @Test func membersAreJoinedToTheRows() throws {
    let store = try store()
    let context = store.context()
    let new = newcomer()
    context.insert(new)
    try context.save()
    check(new)
    let fresh = store.context()
    let accounts = try fresh.fetch(FetchDescriptor<Account>())
    #expect(accounts.count == 1)
    check(accounts[0])
    let regions = try fresh.fetch(FetchDescriptor<Region>())
    let old = regions.filter { $0.name == "old" }
    #expect(old.allSatisfy { $0.accounts.isEmpty })
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
  }

  @Test(arguments: [true, false])
  func membersOfALinkTableComeAfterThoseOfTheRow(_ isInHand: Bool) throws {
    let store = try TestStore(.memory, Account.self, Region.self, Entry.self, Tag.self)
    let writing = store.context()
    let account = Account("1")
    let tags = ["a", "b", "c", "e"].map { Tag(name: $0) }
    account.labels = tags
    writing.insert(account)
    try writing.save()
    let context = isInHand ? writing : store.context()
    let again = Account("1")
    context.insert(again)
    let c = try #require(
      try context.fetch(FetchDescriptor<Tag>(predicate: #Predicate { $0.name == "c" })).first)
    again.labels = [Tag(name: "x"), c, Tag(name: "y")]
    try context.save()
    let read = try store.context().fetch(FetchDescriptor<Account>())
    #expect(read.map { $0.labels.map(\.name) } == [["a", "b", "c", "e", "x", "y"]])
  }

  @Test func instanceInHandGetsThem() throws {
    let store = try store()
    let context = store.context()
    let known = try #require(try context.fetch(FetchDescriptor<Account>()).first)
    let before = known.entries
    let old = known.region
    let new = newcomer()
    context.insert(new)
    let entries = new.entries
    try context.save()
    check(known)
    #expect(known.entries == before + entries)
    #expect(old?.accounts == [])
    #expect(new.modelContext == nil)
    #expect(new.persistentModelID == known.persistentModelID)
    #expect(entries.allSatisfy { $0.account === known })
  }

  @Test func laterOfTwoPendingOnesJoinsTheEarlier() throws {
    let store = try TestStore(.memory, Account.self, Region.self, Entry.self, Tag.self)
    let context = store.context()
    let (one, two) = (newcomer(), newcomer())
    two.entries = [Entry("e")]
    context.insert(one)
    context.insert(two)
    try context.save()
    #expect(one.entries.map(\.text) == ["c", "d", "e"])
    #expect(two.modelContext == nil)
    let accounts = try store.context().fetch(FetchDescriptor<Account>())
    #expect(accounts.map { $0.entries.map(\.text) } == [["c", "d", "e"]])
  }

  /// What refers to the inserted object refers to the row afterwards.
  @Test func thoseThatReferToItReferToTheRow() throws {
    let store = try store()
    let context = store.context()
    let known = try #require(try context.fetch(FetchDescriptor<Account>()).first)
    let new = Account("1")
    let entry = Entry("late")
    entry.account = new
    context.insert(entry)
    try context.save()
    #expect(entry.account === known)
    #expect(known.entries.map(\.text) == ["a", "b", "late"])
    #expect(known.region == nil)
  }
}

/// Who holds whom, and what goes when nobody does.
@Suite struct RelationLifeTests {
  /// Makes objects of every kind of relationship, and says how many of them are still alive afterwards.
  private func alive(_ body: (TestStore, (any PersistentModel) -> Void) throws -> Void) throws -> Int {
    let store = try TestStore(
      .memory, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self, Branch.self)
    final class Weak {
      weak var object: AnyObject?
      init(_ object: AnyObject) { self.object = object }
    }
    var all: [Weak] = []
    try body(store) { all.append(Weak($0)) }
    #expect(!all.isEmpty)
    return all.filter { $0.object != nil }.count
  }

  /// Everything related to everything, in circles where that is possible.
  private func web() -> [any PersistentModel] {
    let squad = Squad(number: 1)
    let players = (0..<3).map { Player(number: $0) }
    let clubs = (0..<2).map { Club(number: $0) }
    let coaches = (0..<2).map { Coach(number: $0) }
    let locker = Locker(number: 1)
    let branches = (0..<3).map { Branch(number: $0) }
    let kit = Kit(number: 1, squad: squad)
    squad.players = players
    for player in players {
      player.clubs = clubs
      player.friends = players
      player.rivals = players
      player.coaches = coaches
      player.idol = coaches[0]
    }
    players[0].mentor = players[1]
    players[1].mentor = players[0]
    players[0].partner = players[2]
    players[0].locker = locker
    coaches[0].apprentice = coaches[1]
    coaches[1].apprentice = coaches[0]
    branches[0].twigs = [branches[1], branches[2]]
    return [squad, kit, locker] + players + clubs + coaches + branches
  }

  private func insert(_ models: [any PersistentModel], _ context: ModelContext) {
    func insert<T: PersistentModel>(_ model: T) { context.insert(model) }
    for model in models { insert(model) }
  }

  /// Touches every relationship of everything.
  private func walk(_ context: ModelContext, _ note: (any PersistentModel) -> Void) throws {
    var all: [any Piece] = []
    func fetch<T: Piece>(_ type: T.Type) throws { all += try context.fetch(FetchDescriptor<T>()) }
    for kind in HistoryKind.allCases { try fetch(kind.type) }
    for piece in all {
      note(piece)
      for link in HistoryKind.allCases.first(where: { $0.type == Swift.type(of: piece) })?.links ?? [] {
        if link.isMany { _ = piece.many(link) } else { _ = piece.one(link) }
      }
    }
  }

  @Test func savedObjectsGoWithTheirContext() throws {
    #expect(
      try alive { store, note in
        let context = store.context()
        let web = web()
        web.forEach(note)
        insert(web, context)
        try context.save()
      } == 0)
  }

  @Test func fetchedObjectsGoWithTheirContext() throws {
    #expect(
      try alive { store, note in
        do {
          let context = store.context()
          insert(web(), context)
          try context.save()
        }
        let context = store.context()
        try walk(context, note)
        try walk(context, note)
      } == 0)
  }

  @Test func circlesOfOwnersAreLetGo() throws {
    // Each branch is the other's twig: lists without a table of their own, which hold each other, too.
    let count = try alive { store, note in
      let context = store.context()
      let branches = (0..<2).map { Branch(number: $0) }
      branches.forEach(note)
      branches[0].twigs = [branches[1]]
      insert(branches, context)
      branches[1].twigs = [branches[0]]
      try context.save()
      let other = store.context()
      for branch in try other.fetch(FetchDescriptor<Branch>()) {
        note(branch)
        #expect(branch.twigs?.count == 1)
      }
    }
    #expect(count == 0)
  }

  @Test func manyListsAreLetGo() throws {
    // More than a context remembers to hold on to.
    #expect(
      try alive { store, note in
        let context = store.context()
        for number in 0..<(LoadedJoinLists.capacity + 100) {
          let player = Player(number: number)
          player.clubs = [Club(number: number)]
          note(player)
          context.insert(player)
        }
        try context.save()
      } == 0)
  }

  @Test func unsavedObjectsGoWithTheirContext() throws {
    #expect(
      try alive { store, note in
        let context = store.context()
        let web = web()
        web.forEach(note)
        insert(web, context)
      } == 0)
  }

  @Test func deletedAndRolledBackObjectsGo() throws {
    #expect(
      try alive { store, note in
        let context = store.context()
        insert(web(), context)
        try context.save()
        try walk(context, note)
        try context.delete(model: Player.self)
        try context.delete(model: Branch.self)
        try context.delete(model: Kit.self)
        try context.save()
        let late = web()
        late.forEach(note)
        insert(late, context)
        context.rollback()
      } == 0)
  }

  @Test func objectsOutliveTheirContext() throws {
    let store = try TestStore(
      .memory, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self, Branch.self)
    do {
      let context = store.context()
      insert(web(), context)
      try context.save()
    }
    weak var gone: Player?
    let before = try store.context().fetch(FetchDescriptor<Club>()).map { $0.players.map(\.number) }
    #expect(before.map { $0.sorted() } == [[0, 1, 2], [0, 1, 2]])
    do {
      let player = try #require(
        try store.context().fetch(FetchDescriptor<Player>(sortBy: [SortDescriptor(\.number)])).first)
      gone = player
      gone = player
      #expect(player.clubs.count == 2)
      #expect(player.clubs[0].players.count == 3)
      #expect(player.friends.map(\.number) == [0, 1, 2])
      #expect(player.squad?.players.count == 3)
      #expect(player.mentor?.mentor === player)
      #expect(player.locker?.player === player)
      #expect(player.idol?.apprentice?.apprentice === player.idol)
      // What is changed now waits for a save by the context that the object leads to.
      player.clubs = []
      player.squad = nil
      try player.modelContext?.save()
    }
    #expect(gone == nil)
    let clubs = try store.context().fetch(FetchDescriptor<Club>())
    #expect(clubs.map { $0.players.map(\.number) } == before.map { $0.filter { $0 != 0 } })
  }

  @Test func propertiesPastTheMaskAreRelatedToo() throws {
    let store = try TestStore(.memory, Wide.self)
    let context = store.context()
    let root = Wide("root")
    root.parts = ["a", "b", "c"].map { Wide($0) }
    context.insert(root)
    try context.save()
    func names() throws -> [String] {
      let all = try store.context().fetch(FetchDescriptor<Wide>())
      return try #require(all.first { $0.owner == nil && !$0.parts.isEmpty }).parts.map(\.name)
    }
    // An attribute that shares its bit with the key moves nothing.
    let second = store.context()
    let all = try second.fetch(FetchDescriptor<Wide>())
    try #require(all.first { $0.name == "a" }).late = 7
    #expect(try #require(all.first { $0.name == "root" }).parts.map(\.name) == ["a", "b", "c"])
    try second.save()
    #expect(try names() == ["a", "b", "c"])
    let third = store.context()
    let a = try #require(try third.fetch(FetchDescriptor<Wide>()).first { $0.name == "a" })
    a.late = 8
    try third.save()
    #expect(try names() == ["a", "b", "c"])
    let owner = try #require(a.owner)
    owner.parts.reverse()
    a.owner = nil
    a.name = "x"
    third.rollback()
    #expect(owner.parts.map(\.name) == ["a", "b", "c"])
    #expect(a.owner === owner)
    #expect(a.late == 8)
    a.owner = nil
    try third.save()
    #expect(try names() == ["b", "c"])
    third.delete(owner)
    try third.save()
    #expect(try store.context().fetch(FetchDescriptor<Wide>()).map(\.name) == ["a"])
  }

  @Test func optionalToManyThatIsNilIsEmpty() throws {
    let store = try TestStore(.memory, Node.self)
    let context = store.context()
    let root = Node(name: "root")
    root.children = nil
    context.insert(root)
    #expect(root.children?.isEmpty != false)
    root.children = [Node(name: "leaf")]
    try context.save()
    let fresh = try store.context().fetch(FetchDescriptor<Node>())
    #expect(fresh.first { $0.name == "root" }?.children?.map(\.name) == ["leaf"])
    root.children = nil
    try context.save()
    #expect(root.children?.isEmpty != false)
    #expect(try store.context().fetch(FetchDescriptor<Node>()).allSatisfy { $0.parent == nil })
  }
}
