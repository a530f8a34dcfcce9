import Foundation
import LarderData
import LarderSQLite
import Observation
import Synchronization
import Testing

@Model
private final class Desk {
  @Relationship(deleteRule: .cascade, inverse: \Form.desk) var sheets: [Form] = []
  init() {}
}

@Model
private final class Binder {
  @Relationship(deleteRule: .cascade, inverse: \Form.folder) var sheets: [Form] = []
  init() {}
}

@Model
private final class Form {
  var desk: Desk?
  var folder: Binder?
  init() {}
}

/// Deletions that are taken back while something else is going on, or in another order than they were made.
@Suite struct DeletionRecallEdgeTests {
  private func saved(_ store: TestStore, _ models: [any PersistentModel]) throws -> ModelContext {
    let context = store.context()
    for model in models { context.insert(model) }
    try context.save()
    return context
  }

  private func statements(_ context: ModelContext) throws -> Int64 {
    try context.core.session.read { $0.status().statementRuns }
  }

  // MARK: Never saved

  @Test(arguments: Place.allCases)
  func whatLeavesKeepsWhatItWasRelatedTo(_ place: Place) throws {
    let store = try TestStore(place, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self)
    let squad = Squad(number: 7)
    let context = try saved(store, [squad])
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

  @Test(arguments: Place.allCases)
  func whatHasLeftIsInsertedByTheNextRelation(_ place: Place) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let (old, new) = (Family(name: "old"), Family(name: "new"))
    let context = try saved(store, [old, new])
    let member = Member(name: "m", family: old)
    context.insert(member)
    context.delete(old)
    member.family = new
    #expect(member.family === new)
    #expect(new.members == [member])
    try context.save()
    #expect(try store.rows("SELECT name FROM Member") == [[.text("m")]])
  }

  @Test(arguments: Place.allCases)
  func ownerThatWasNeverSavedComesBackWithWhatWentAlong(_ place: Place) throws {
    let store = try TestStore(place, Family.self, Member.self, Article.self)
    let (member, other) = (Member(name: "m"), Member(name: "o"))
    let article = Article(title: "a")
    let context = try saved(store, [member, other, article])
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

  @Test(arguments: Place.allCases)
  func whatWasNeverSavedDoesNotComeBackWithItsOwner(_ place: Place) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let family = Family(name: "f")
    let context = try saved(store, [family])
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

  @Test(arguments: Place.allCases)
  func savingAfterADeletionOfWhatWasNeverSavedTellsNobody(_ place: Place) throws {
    let store = try TestStore(place, Node.self)
    let root = Node(name: "root")
    let context = try saved(store, [root])
    let log = SaveLog(context)
    let told = Mutex(0)
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
  @Test(arguments: Place.allCases)
  func lostObjectCanBeReadOnceItsHolderIsBack(_ place: Place) throws {
    let store = try TestStore(place, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self)
    let kit = Kit(number: 1, squad: Squad(number: 7))
    let context = try saved(store, [kit])
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

  // MARK: What somebody asks for meanwhile

  @Test(arguments: Place.allCases)
  func observerThatTakesADeletionBackIsHeard(_ place: Place) throws {
    let store = try TestStore(place, Node.self, Family.self, Member.self)
    for isRollback in [false, true] {
      let (root, leaf) = (Node(name: "root"), Node(name: "leaf"))
      leaf.parent = root
      let family = Family(name: "\(isRollback)")
      family.members = [Member(name: "m")]
      let context = try saved(store, [leaf, family])
      // Called on this thread.
      nonisolated(unsafe) let request = { if isRollback { context.rollback() } else { context.insert(family) } }
      withObservationTracking {
        _ = leaf.parent
      } onChange: {
        request()
      }
      context.delete(root)
      context.delete(family)
      let name = family.name
      #expect(try context.fetchCount(FetchDescriptor<Member>(predicate: #Predicate { $0.family?.name == name })) == 1)
      #expect(leaf.parent === (isRollback ? root : nil))
      try context.save()
      #expect(family.members.count == 1)
    }
  }

  /// Called once: the runtime calls again while it is at it.
  private final class Once {
    var isDone = false
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
    func run() {
      if isDone { return }
      isDone = true
      body()
    }
  }

  private func onChange(of read: () -> Void, _ body: @escaping () -> Void) {
    // Called on this thread.
    nonisolated(unsafe) let once = Once(body)
    withObservationTracking(read) { once.run() }
  }

  @Test(arguments: Place.allCases)
  func observerOfWhatComesBackIsHeardOnceAllIs(_ place: Place) throws {
    let store = try TestStore(place, Course.self, Node.self)
    let course = Course(title: "c")
    let students = [Student(name: "s"), Student(name: "t")]
    course.students = students
    let nodes = [Node(name: "a"), Node(name: "b")]
    let context = try saved(store, [course, nodes[0], nodes[1]])
    context.delete(course)
    #expect(students.flatMap(\.courses).isEmpty)
    onChange(of: { _ = students[0].courses }, { context.rollback() })
    context.insert(course)
    #expect(students.map(\.courses) == [[course], [course]])
    #expect(!context.hasChanges)

    for isRollback in [true, false] {
      let root = Node(name: "root")
      root.children = nodes
      context.insert(root)
      context.delete(root)
      #expect(nodes[0].parent == nil)
      nodes[0].name += "!"
      onChange(of: { _ = nodes[0].parent }, { if isRollback { context.rollback() } else { context.delete(root) } })
      context.insert(root)
      #expect(root.modelContext == nil)
      #expect(nodes.compactMap(\.parent).isEmpty)
      try context.save()
    }

    let root = Node(name: "root")
    root.children = nodes
    context.insert(root)
    try context.save()
    context.delete(root)
    #expect(nodes[0].parent == nil)
    onChange(
      of: { _ = nodes[0].parent },
      {
        context.delete(root)
        try? context.save()
      })
    context.insert(root)
    try context.save()
    #expect(try store.rows("SELECT count(*) FROM Node WHERE parent IS NOT NULL") == [[.integer(0)]])
    #expect(try store.rows("PRAGMA foreign_key_check") == [])
  }

  /// In whichever order the two are deleted.
  @Test(arguments: Place.allCases, [false, true])
  func whatForbidsADeletionDoesSoWhenItIsBack(_ place: Place, _ isBookFirst: Bool) throws {
    let store = try TestStore(place, Library.self)
    let library = Library(name: "l")
    let book = Book(title: "b")
    library.books = [book]
    let context = try saved(store, [library])
    for isLookedAt in [false, true] {
      if isBookFirst { context.delete(book) }
      if isLookedAt { _ = try context.fetchCount(FetchDescriptor<Book>()) }
      context.delete(library)
      if isLookedAt { _ = try context.fetchCount(FetchDescriptor<Book>()) }
      context.delete(book)
      context.insert(book)
      #expect(book.library === library)
      #expect(throws: SaveError.self) { try context.save() }
      context.insert(library)
      #expect(library.books == [book])
      try context.save()
    }
    context.delete(library)
    context.delete(book)
    try context.save()
    #expect(try store.rows("SELECT * FROM Book") == [])
  }

  @Test(arguments: Place.allCases)
  func whatIsDeletedOnceMoreStaysDeleted(_ place: Place) throws {
    let store = try TestStore(place, Family.self, Member.self)
    for isByPredicate in [false, true] {
      let family = Family(name: "\(isByPredicate)")
      family.members = [Member(name: "a"), Member(name: "b")]
      let context = try saved(store, [family])
      let member = family.members[0]
      context.delete(family)
      _ = try context.fetchCount(FetchDescriptor<Member>())
      context.insert(member)
      if isByPredicate {
        try context.delete(model: Member.self, where: #Predicate { $0.name == "a" })
      } else {
        context.delete(member)
      }
      context.insert(family)
      #expect(family.members.map(\.name) == ["b"])
      context.rollback()
    }
  }

  /// It went along with another by then.
  @Test(arguments: Place.allCases)
  func whatFoundAnotherOwnerGoesAndComesWithThat(_ place: Place) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let (first, second) = (Family(name: "1"), Family(name: "2"))
    first.members = [Member(name: "m")]
    let context = try saved(store, [first, second])
    let member = first.members[0]
    context.delete(first)
    #expect(try context.fetchCount(FetchDescriptor<Member>()) == 0)
    context.insert(member)
    member.family = second
    context.delete(second)
    #expect(try context.fetchCount(FetchDescriptor<Member>()) == 0)
    context.insert(first)
    #expect(try context.fetchCount(FetchDescriptor<Member>()) == 0)
    context.insert(second)
    #expect(member.family === second)
    #expect(second.members == [member])
    #expect(first.members.isEmpty)
    try context.save()
  }

  @Test(arguments: Place.allCases)
  func whatIsSetSinceStaysAsItIs(_ place: Place) throws {
    let store = try TestStore(place, Node.self, Person.self)
    let (root, other, leaf) = (Node(name: "root"), Node(name: "other"), Node(name: "leaf"))
    leaf.parent = root
    let (person, permit) = (Person(name: "p"), Permit(number: "1"))
    person.permit = permit
    let context = try saved(store, [leaf, other, person])
    context.delete(root)
    context.delete(person)
    #expect(leaf.parent == nil)
    #expect(permit.holder == nil)
    leaf.parent = other
    other.children = []
    let heir = Person(name: "heir")
    heir.permit = permit
    permit.holder = nil
    context.insert(root)
    context.insert(person)
    #expect(leaf.parent == nil)
    #expect(root.children == [])
    #expect(permit.holder == nil)
    #expect(person.permit == nil)
    // Where it is the deleted one that has the key.
    person.permit = permit
    try context.save()
    context.delete(permit)
    #expect(person.permit == nil)
    let another = Permit(number: "2")
    person.permit = another
    person.permit = nil
    context.insert(permit)
    #expect(person.permit == nil)
    #expect(permit.holder == nil)
    // A key that was set before the deletion came is none that somebody set since.
    leaf.parent = root
    context.delete(root)
    #expect(leaf.parent == nil)
    context.insert(root)
    #expect(leaf.parent === root)
  }

  // MARK: Several at once

  /// However many looked in between.
  @Test(arguments: Place.allCases, [false, true])
  func whatWentAlongWithTwoComesBackWithEither(_ place: Place, _ isLookedAt: Bool) throws {
    let store = try TestStore(place, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self)
    let (one, two, shared) = (Coach(number: 1), Coach(number: 2), Coach(number: 3))
    one.apprentice = shared
    two.apprentice = shared
    let context = try saved(store, [one, two])
    for (first, second) in [(one, two), (two, one)] {
      for restored in [one, two] {
        context.delete(first)
        if isLookedAt {
          #expect(try context.fetchCount(FetchDescriptor<Coach>()) == 1)
          // The reference went with what it led to.
          #expect(second.apprentice == nil)
        }
        context.delete(second)
        context.insert(restored)
        if !isLookedAt || restored === first {
          #expect(restored.apprentice === shared)
          #expect(try context.fetchCount(FetchDescriptor<Coach>()) == 2)
        }
        context.rollback()
      }
    }
  }

  @Test(arguments: Place.allCases, [false, true])
  func whatHasTwoOwnersComesBackWithEither(_ place: Place, _ isLookedAt: Bool) throws {
    let store = try TestStore(place, Desk.self, Binder.self, Form.self)
    let (desk, folder, sheet) = (Desk(), Binder(), Form())
    sheet.desk = desk
    sheet.folder = folder
    let context = try saved(store, [sheet])
    func turn<Owner: PersistentModel>(_ restored: Owner) throws {
      context.delete(desk)
      if isLookedAt { #expect(try context.fetchCount(FetchDescriptor<Form>()) == 0) }
      context.delete(folder)
      #expect(try context.fetchCount(FetchDescriptor<Form>()) == 0)
      context.insert(restored)
      #expect(try context.fetchCount(FetchDescriptor<Form>()) == 1)
      #expect((sheet.desk == nil, sheet.folder == nil) == (restored !== desk, restored !== folder))
      context.insert(desk)
      context.insert(folder)
      #expect(sheet.desk === desk)
      #expect(sheet.folder === folder)
      context.rollback()
    }
    try turn(desk)
    try turn(folder)
  }

  @Test(arguments: Place.allCases)
  func memberStandsOnceInAListThatWasNotLoaded(_ place: Place) throws {
    let store = try TestStore(place, Course.self)
    _ = try saved(store, [Course(title: "c"), Student(name: "s")])
    let context = store.context()
    let course = try #require(try context.fetch(FetchDescriptor<Course>()).first)
    let student = try #require(try context.fetch(FetchDescriptor<Student>()).first)
    course.students = [student]
    context.delete(course)
    context.delete(student)
    context.insert(student)
    context.insert(course)
    #expect(student.courses == [course])
    #expect(course.students == [student])
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Student>()).first?.courses.count == 1)
  }

  @Test(arguments: Place.allCases)
  func memberThatWasAddedUnseenStandsOnceInItsList(_ place: Place) throws {
    let store = try TestStore(place, Node.self)
    _ = try saved(store, [Node(name: "root"), Node(name: "leaf")])
    let context = store.context()
    let nodes = try context.fetch(FetchDescriptor<Node>(sortBy: [SortDescriptor(\.name)]))
    let (leaf, root) = (nodes[0], nodes[1])
    leaf.parent = root
    context.delete(root)
    context.delete(leaf)
    context.insert(leaf)
    context.insert(root)
    #expect(root.children == [leaf])
  }

  @Test(arguments: Place.allCases)
  func oneWayListHasAgainWhatWasDeletedBeforeItWasLoaded(_ place: Place) throws {
    let store = try TestStore(place, Article.self)
    let article = Article(title: "a")
    article.tags = [Tag(name: "t")]
    _ = try saved(store, [article])
    let context = store.context()
    let found = try #require(try context.fetch(FetchDescriptor<Article>()).first)
    try context.delete(model: Tag.self)
    #expect(found.tags.isEmpty)
    let tag = try #require(context.deletedModelsArray.first as? Tag)
    context.insert(tag)
    #expect(found.tags == [tag])
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Article>()).first?.tags.count == 1)
  }

  /// What was not in it when it was loaded.
  @Test(arguments: Place.allCases, [false, true])
  func oneWayListLosesWhatIsTakenOutOnceItIsBack(_ place: Place, _ isChanged: Bool) throws {
    let store = try TestStore(place, Article.self)
    let article = Article(title: "a")
    article.tags = [Tag(name: "t")]
    _ = try saved(store, [article])
    let context = store.context()
    let tag = try #require(try context.fetch(FetchDescriptor<Tag>()).first)
    context.delete(tag)
    _ = try context.fetchCount(FetchDescriptor<Tag>())
    let found = try #require(try context.fetch(FetchDescriptor<Article>()).first)
    #expect(found.tags.isEmpty)
    if isChanged { found.tags = [Tag(name: "u")] }
    context.insert(tag)
    #expect(found.tags.map(\.name) == (isChanged ? ["u", "t"] : ["t"]))
    found.tags.removeAll { $0 === tag }
    try context.save()
    let tags = try #require(try store.context().fetch(FetchDescriptor<Article>()).first?.tags)
    #expect(tags.map(\.name) == (isChanged ? ["u"] : []))
  }

  /// For each relationship, and not for each object.
  @Test func takingBackACascadeTakesAsManyStatementsHoweverMuchWentAlong() throws {
    func run(_ count: Int) throws -> Int64 {
      let store = try TestStore(.memory, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self)
      let squad = Squad(number: 1)
      squad.players = (0..<count).map { Player(number: $0) }
      for player in squad.players { player.clubs = [Club(number: 0)] }
      _ = try saved(store, [squad])
      let context = store.context()
      let found = try #require(try context.fetch(FetchDescriptor<Squad>()).first)
      context.delete(found)
      #expect(try context.fetchCount(FetchDescriptor<Player>()) == 0)
      let start = try statements(context)
      context.insert(found)
      #expect(found.players.count == count)
      return try statements(context) - start
    }
    let few = try run(3)
    #expect(try run(300) == few)
  }
}
