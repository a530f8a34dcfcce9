import Foundation
import LarderData
import LarderSQLite
import Testing

/// What Documentation/semantics.md says of relationships, beside what `RelationTests` shows.
@Suite struct RelationSemanticsTests {
  private func one<Model: PersistentModel>(_ type: Model.Type, _ context: ModelContext) throws -> Model {
    try #require(try context.fetch(FetchDescriptor<Model>()).first)
  }

  private func statements(_ context: ModelContext) throws -> Int64 {
    try context.core.sessions[0].read { $0.status().statementRuns }
  }

  private func family(_ store: TestStore, _ members: [String]) throws -> (ModelContext, Family) {
    let context = store.context()
    let family = Family(name: "Doe")
    family.members = members.map { Member(name: $0) }
    context.insert(family)
    try context.save()
    return (context, family)
  }

  // MARK: - Inverses

  @Test(arguments: StoreLocation.allCases)
  func inverseNamedAtEitherEndLeadsBothWays(_ place: StoreLocation) throws {
    let store = try TestStore(place, Choir.self, Airport.self)
    let context = store.context()
    let (choir, singer) = (Choir("s"), Singer("p"))
    context.insert(choir)
    singer.choir = choir
    context.insert(singer)
    #expect(choir.singers == [singer])
    let (airport, flight) = (Airport("a"), Flight("f"))
    context.insert(airport)
    flight.origin = airport
    context.insert(flight)
    #expect(airport.departures == [flight])
    #expect(airport.arrivals.isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func inverseIsFoundWhereOneIsLeft(_ place: StoreLocation) throws {
    let store = try TestStore(place, Airport.self, Course.self)
    let context = store.context()
    let (airport, flight) = (Airport("a"), Flight("f"))
    airport.arrivals = [flight]
    context.insert(airport)
    #expect(flight.destination === airport)
    #expect(flight.origin == nil)
    let (course, student) = (Course(title: "c"), Student(name: "s"))
    course.students = [student]
    context.insert(course)
    #expect(student.courses == [course])
  }

  @Test(arguments: StoreLocation.allCases)
  func relationshipsThatCouldMirrorSeveralMirrorNone(_ place: StoreLocation) throws {
    let store = try TestStore(place, Mailbox.self)
    let context = store.context()
    let (mailbox, letter) = (Mailbox("m"), Letter("l"))
    letter.sender = mailbox
    context.insert(letter)
    #expect(mailbox.letters.isEmpty)
    mailbox.letters.append(letter)
    try context.save()
    let stored = try one(Letter.self, store.context())
    #expect(stored.recipient == nil)
    #expect(stored.sender?.letters == [stored])
  }

  /// A list over a table of pairs, asked for when the context that would empty it has gone.
  @Test(arguments: StoreLocation.allCases)
  func listsLoadedWithoutAContextKeepNothing(_ place: StoreLocation) throws {
    let store = try TestStore(place, Mailbox.self)
    let context = store.context()
    let mailbox = Mailbox("m")
    mailbox.letters = [Letter("l")]
    context.insert(mailbox)
    try context.save()
    weak var core: _ContextCore?
    weak var loaded: Mailbox?
    do {
      let stored = try one(Mailbox.self, store.context())
      core = stored._$header.pointee.tracker?.core
      loaded = stored
      #expect(stored.letters.map(\.text) == ["l"])
    }
    #expect(loaded == nil)
    #expect(core == nil)
  }

  @Test(arguments: StoreLocation.allCases)
  func relationshipsToTheSameModelMirrorOnlyWhatTheyName(_ place: StoreLocation) throws {
    let store = try TestStore(place, Employee.self, Node.self)
    let context = store.context()
    let (chief, clerk) = (Employee("chief"), Employee("clerk"))
    clerk.manager = chief
    context.insert(clerk)
    #expect(chief.reports.isEmpty)
    let (root, leaf) = (Node(name: "root"), Node(name: "leaf"))
    leaf.parent = root
    context.insert(leaf)
    #expect(root.children == [leaf])
  }

  // MARK: - To-manys

  @Test(arguments: StoreLocation.allCases)
  func movingAMemberWritesItsRowAlone(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self)
    let (context, family) = try family(store, (0..<100).map(String.init))
    var members = family.members
    members.insert(members.removeLast(), at: 50)
    family.members = members
    let names = members.map(\.name)
    let changes = try store.writing { try context.save() }.rowChanges
    // The row, and the history's.
    #expect(changes == 2)
    #expect(try one(Family.self, store.context()).members.map(\.name) == names)
  }

  @Test(arguments: StoreLocation.allCases)
  func objectIsOnceInAToMany(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Article.self)
    let (context, family) = try family(store, ["a", "b"])
    family.members += family.members
    #expect(family.members.map(\.name) == ["a", "b"])
    let article = Article(title: "t")
    let tag = Tag(name: "n")
    article.tags = [tag, tag]
    context.insert(article)
    #expect(article.tags == [tag])
    try context.save()
    #expect(try one(Article.self, store.context()).tags.count == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func optionalToManyOfAStoredObjectIsNeverNil(_ place: StoreLocation) throws {
    let store = try TestStore(place, Node.self)
    let node = Node(name: "n")
    node.children = nil
    #expect(node.children == nil)
    let context = store.context()
    context.insert(node)
    try context.save()
    #expect(try one(Node.self, store.context()).children == [])
  }

  @Test(arguments: StoreLocation.allCases)
  func optionalToManyIsNilUntilItIsSet(_ place: StoreLocation) throws {
    let store = try TestStore(place, Node.self)
    let context = store.context()
    let (node, other) = (Node(name: "n"), Node(name: "o"))
    node.children = nil
    other.children = nil
    context.insert(node)
    context.insert(other)
    #expect(node.children == nil)
    // What others commit says nothing of it.
    let elsewhere = store.context()
    elsewhere.insert(Node(name: "e"))
    try elsewhere.save()
    #expect(try context.fetchCount(FetchDescriptor<Node>()) == 3)
    #expect(node.children == nil && other.children == nil)
    let child = Node(name: "c")
    context.insert(child)
    child.parent = node
    #expect(node.children == [child])
    other.children = []
    #expect(other.children == [])
    other.children = nil
    #expect(other.children == nil)
    // Predicates take it for empty, and a look sets nothing.
    let empty = FetchDescriptor<Node>(predicate: #Predicate { $0.children?.isEmpty == true && $0.name == "o" })
    #expect(try context.fetch(empty) == [other])
    #expect(other.children == nil)
    try context.save()
    #expect(node.children == [child])
    node.children = nil
    #expect(node.children == [] && child.parent == nil)
    context.rollback()
    #expect(node.children == [child])
    let reader = store.context()
    for read in try reader.fetch(FetchDescriptor<Node>()) {
      #expect(read.children?.count == (read.name == "n" ? 1 : 0))
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func numbersOfRelatedObjectsAreCheckedAtTheSave(_ place: StoreLocation) throws {
    let store = try TestStore(place, Choir.self)
    let context = store.context()
    let choir = Choir("s")
    context.insert(choir)
    func failure() -> SaveError? { #expect(throws: SaveError.self) { try context.save() } }
    #expect(failure()?.code == .relationshipCount)
    choir.singers = [Singer("a"), Singer("b"), Singer("c")]
    let error = failure()
    #expect(error?.code == .relationshipCount)
    #expect(error?.properties == ["singers"])
    #expect(error?.explanation.contains("at most 2") == true)
    choir.singers?.removeLast()
    try context.save()
    choir.singers = []
    #expect(failure()?.explanation.contains("at least 1") == true)
  }

  // MARK: - Life

  @Test(arguments: StoreLocation.allCases)
  func objectOfAnotherContextIsNotRelated(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self)
    let (context, family) = try family(store, ["a"])
    let stranger = Member(name: "stranger")
    let other = store.context()
    other.insert(stranger)
    family.members.append(stranger)
    #expect(family.members.map(\.name) == ["a"])
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(stranger.modelContext == other)
  }

  @Test(arguments: StoreLocation.allCases)
  func objectThatNobodyHoldsIsReadAgain(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self)
    let context = store.context()
    let member = Member(name: "Jane")
    weak var first: Family?
    do {
      let family = Family(name: "Doe")
      member.family = family
      context.insert(member)
      try context.save()
      first = family
    }
    #expect(first == nil)
    var start = try statements(context)
    weak let second = member.family
    #expect(second?.name == "Doe")
    #expect(try statements(context) - start == 1)
    // What was read for a to-one, the context holds for a while.
    start = try statements(context)
    #expect(member.family === second)
    #expect(try statements(context) == start)
  }

  @Test(arguments: StoreLocation.allCases)
  func toManyHoldsItsObjects(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self)
    let (context, family) = try family(store, ["a", "b"])
    weak let member = family.members.first
    let start = try statements(context)
    #expect(member?.name == "a")
    #expect(family.members.first === member)
    #expect(try statements(context) == start)
  }

  @Test(arguments: StoreLocation.allCases)
  func deletedObjectKeepsWhatItWasRelatedTo(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Person.self)
    let (context, family) = try family(store, ["a", "b"])
    let members = family.members
    context.delete(members[0])
    try context.save()
    #expect(members[0].modelContext == nil)
    #expect(members[0].family === family)
    #expect(family.members == [members[1]])
    context.delete(family)
    try context.save()
    #expect(family.members == [members[1]])
    // Both are going, and one of them must let go of the other.
    #expect(members[1].family == nil)
  }

  @Test(arguments: StoreLocation.allCases)
  func graphWhoseInsertIsRolledBackCanBeInsertedAgain(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self)
    let context = store.context()
    let family = Family(name: "Doe")
    family.members = [Member(name: "a"), Member(name: "b")]
    context.insert(family)
    let members = family.members
    context.rollback()
    #expect(members[0].modelContext == nil)
    #expect(family.members == members)
    context.insert(family)
    #expect(members.allSatisfy { $0.family === family })
    try context.save()
    #expect(try one(Family.self, store.context()).members.map(\.name) == ["a", "b"])
  }

  // MARK: - Deleting

  @Test(arguments: StoreLocation.allCases)
  func deletedObjectIsTakenOutOfRelationships(_ place: StoreLocation) throws {
    let store = try TestStore(place, Library.self, Course.self)
    let context = store.context()
    let (course, student) = (Course(title: "c"), Student(name: "s"))
    course.students = [student, Student(name: "t")]
    context.insert(course)
    try context.save()
    let other = store.context()
    let read = try one(Course.self, other)
    other.delete(read.students[0])
    #expect(read.students.map(\.name) == ["t"])
    other.delete(read)
    #expect(try one(Student.self, other).courses.isEmpty)
    try other.save()
    #expect(try store.value("SELECT count(*) FROM larder_Course_students") == .integer(0))
  }

  @Test(arguments: StoreLocation.allCases)
  func noActionLeavesNoReferenceBehind(_ place: StoreLocation) throws {
    let store = try TestStore(place, Drawer.self)
    let context = store.context()
    let (drawer, sheet) = (Drawer("d"), Sheet("s"))
    drawer.sheets = [sheet]
    context.insert(drawer)
    try context.save()
    context.delete(drawer)
    #expect(sheet.drawer == nil)
    try context.save()
    #expect(try one(Sheet.self, store.context()).drawer == nil)
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func referenceThatMustNotBeNilIsNotTakenAway(_ place: StoreLocation) throws {
    let store = try TestStore(place, Library.self)
    let context = store.context()
    let (first, second) = (Library(name: "first"), Library(name: "second"))
    let shelf = Shelf(place: 1, library: first)
    context.insert(shelf)
    context.insert(second)
    try context.save()
    first.shelves = []
    #expect(shelf.library === first)
    let error = #expect(throws: SaveError.self) { try context.save() }
    #expect(error?.properties == ["library"])
    second.shelves = [shelf]
    #expect(shelf.library === second)
    try context.save()
    #expect(try one(Shelf.self, store.context()).library.name == "second")
  }

  @Test(arguments: StoreLocation.allCases)
  func deletionByPredicateFollowsTheRules(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self)
    _ = try family(store, ["a", "b"])
    let context = store.context()
    try context.delete(model: Family.self, where: #Predicate { $0.name == "Doe" })
    #expect(try context.fetchCount(FetchDescriptor<Member>()) == 0)
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Member") == .integer(0))
  }

  // MARK: - Others

  @Test(arguments: StoreLocation.allCases)
  func toManyShowsWhatOthersSavedAfterTheNextFetch(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self)
    let (context, mine) = try family(store, ["a"])
    let other = store.context()
    try one(Family.self, other).members.append(Member(name: "b"))
    try other.save()
    _ = try context.fetch(FetchDescriptor<Family>())
    #expect(mine.members.map(\.name) == ["a", "b"])
  }

  @Test(arguments: StoreLocation.allCases)
  func oneToOneShowsWhatOthersSavedAfterTheNextFetch(_ place: StoreLocation) throws {
    let store = try TestStore(place, Person.self)
    let context = store.context()
    let (ann, permit) = (Person(name: "Ann"), Permit(number: "1"))
    ann.permit = permit
    context.insert(ann)
    try context.save()
    let other = store.context()
    try one(Person.self, other).permit = nil
    try other.save()
    _ = try context.fetch(FetchDescriptor<Person>())
    _ = try context.fetch(FetchDescriptor<Permit>())
    #expect(ann.permit == nil)
    #expect(permit.holder == nil)
  }

  @Test(arguments: StoreLocation.allCases)
  func toManyThatWasChangedHereGainsWhatOthersAdd(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self)
    let (context, mine) = try family(store, ["a"])
    mine.members.append(Member(name: "mine"))
    let other = store.context()
    try one(Family.self, other).members.append(Member(name: "other"))
    try other.save()
    _ = try context.fetch(FetchDescriptor<Family>())
    #expect(mine.members.map(\.name) == ["a", "mine", "other"])
    try context.save()
    let names = try one(Family.self, store.context()).members.map(\.name)
    #expect(Set(names) == ["a", "mine", "other"])
  }

  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases)
  func relationshipThatCannotBeReadMakesTheNextSaveThrow(_ place: StoreLocation) throws {
    let store = try TestStore(place, Article.self)
    let context = store.context()
    let article = Article(title: "t")
    article.tags = [Tag(name: "n")]
    context.insert(article)
    try context.save()
    let other = store.context()
    let read = try one(Article.self, other)
    try store.execute("ALTER TABLE larder_Article_tags RENAME TO away")
    #expect(read.tags.isEmpty)
    #expect(other.pendingError is StoreError)
    #expect(throws: StoreError.self) { try other.save() }
  }
}
