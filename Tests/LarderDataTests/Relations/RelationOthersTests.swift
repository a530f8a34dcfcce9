import Foundation
import LarderData
import LarderSQLite
import Testing

/// Relationships while other contexts save what they are about.
@Suite struct RelationOthersTests {
  private func one<Model: PersistentModel>(_ type: Model.Type, _ context: ModelContext) throws -> Model {
    try #require(try context.fetch(FetchDescriptor<Model>()).first)
  }

  private func store(_ place: StoreLocation) throws -> TestStore {
    let store = try TestStore(place, Family.self, Member.self, Course.self, Student.self, Article.self, Person.self)
    let context = store.context()
    let (doe, roe) = (Family(name: "Doe"), Family(name: "Roe"))
    doe.members = [Member(name: "ann"), Member(name: "bob")]
    context.insert(doe)
    context.insert(roe)
    try context.save()
    return store
  }

  private func family(_ name: String, _ context: ModelContext) throws -> Family {
    let found = try context.fetch(FetchDescriptor<Family>(predicate: #Predicate { $0.name == name }))
    return try #require(found.first)
  }

  private func rename(_ name: String, to new: String, _ store: TestStore) throws {
    let context = store.context()
    let found = try context.fetch(FetchDescriptor<Member>(predicate: #Predicate { $0.name == name }))
    try #require(found.first).name = new
    try context.save()
  }

  @Test(arguments: StoreLocation.allCases)
  func anEditRolledBackAfterOthersSavedShowsWhatTheySaved(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let ann = try #require(try family("Doe", context).members.first)
    ann.name = "mine"
    try rename("ann", to: "theirs", store)
    _ = try context.fetch(FetchDescriptor<Member>())
    #expect(ann.name == "mine")
    context.rollback()
    _ = try context.fetch(FetchDescriptor<Member>())
    #expect(ann.name == "theirs")
  }

  @Test(arguments: StoreLocation.allCases)
  func aMoveRolledBackAfterOthersMovedShowsWhereTheyDid(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let (doe, roe) = (try family("Doe", context), try family("Roe", context))
    let ann = try #require(doe.members.first)
    ann.family = roe
    let other = store.context()
    try #require(try family("Doe", other).members.first).family = try family("Roe", other)
    try other.save()
    _ = try context.fetch(FetchDescriptor<Member>())
    context.rollback()
    _ = try context.fetch(FetchDescriptor<Member>())
    #expect(doe.members.map(\.name) == ["bob"])
    #expect(roe.members.map(\.name) == ["ann"])
    #expect(ann.family === roe)
  }

  @Test(arguments: StoreLocation.allCases)
  func aListRolledBackHasWhatOthersAdded(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let doe = try family("Doe", context)
    doe.members.append(Member(name: "mine"))
    let other = store.context()
    try family("Doe", other).members.append(Member(name: "theirs"))
    try other.save()
    _ = try context.fetch(FetchDescriptor<Family>())
    context.rollback()
    #expect(doe.members.map(\.name) == ["ann", "bob", "theirs"])
  }

  @Test(arguments: StoreLocation.allCases)
  func aListThatWasSavedHasWhatOthersAdded(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let doe = try family("Doe", context)
    doe.members.append(Member(name: "mine"))
    let other = store.context()
    try family("Doe", other).members.append(Member(name: "theirs"))
    try other.save()
    _ = try context.fetch(FetchDescriptor<Family>())
    try context.save()
    #expect(Set(doe.members.map(\.name)) == ["ann", "bob", "mine", "theirs"])
    #expect(doe.members.map(\.name) == (try family("Doe", store.context())).members.map(\.name))
  }

  /// Lists that others have made out of date are read anew for many objects at a time, as they were at first.
  @Test(arguments: StoreLocation.allCases)
  func walkAfterOthersSavedTakesAFewStatements(_ place: StoreLocation) throws {
    let store = try store(place)
    let writing = store.context()
    for number in 0..<300 {
      let family = Family(name: "\(number)")
      family.members = [Member(name: "m")]
      writing.insert(family)
    }
    try writing.save()
    let context = store.context()
    let families = try context.fetch(FetchDescriptor<Family>())
    func count() -> Int { families.reduce(0) { $0 + $1.members.count } }
    #expect(count() == 302)
    let other = store.context()
    try family("Roe", other).members.append(Member(name: "theirs"))
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Family>())
    let walk = try context.reading { #expect(count() == 303) }
    #expect(walk.statementRuns <= 2)
    try family("Doe", other).members.append(Member(name: "theirs, too"))
    try other.save()
    var descriptor = FetchDescriptor<Family>()
    descriptor.relationshipKeyPathsForPrefetching = [\.members]
    _ = try context.fetch(descriptor)
    let none = try context.reading { #expect(count() == 304) }
    #expect(none.statementRuns == 0)
  }

  /// A list in hand is not read again to be changed.
  @Test(arguments: StoreLocation.allCases)
  func changingALoadedListReadsNothing(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let doe = try family("Doe", context)
    #expect(doe.members.count == 2)
    let reading = try context.reading { doe.members.reverse() }
    #expect(reading.statementRuns == 0)
    #expect(doe.members.map(\.name) == ["bob", "ann"])
    // Its folder goes with it.
    withExtendedLifetime(store) {}
  }

  /// The key is at the other end: that others have set it is not seen in what is set here.
  @Test(arguments: StoreLocation.allCases)
  func whatOthersRelatedCanBeTakenBackUnseen(_ place: StoreLocation) throws {
    let store = try TestStore(place, Person.self)
    let (context, other) = (store.context(), store.context())
    let (ann, permit) = (Person(name: "Ann"), Permit(number: "1"))
    context.insert(ann)
    context.insert(permit)
    try context.save()
    // Both ways, whichever end has the key.
    for takes in [{ @Sendable (ann: Person, _: Permit) in ann.permit = nil }, { $1.holder = nil }] {
      try one(Permit.self, other).holder = one(Person.self, other)
      try other.save()
      _ = try context.fetch(FetchDescriptor<Permit>())
      takes(ann, permit)
      #expect(ann.permit == nil && permit.holder == nil)
      try context.save()
      _ = try other.fetch(FetchDescriptor<Permit>())
      #expect(try one(Permit.self, other).holder == nil && one(Person.self, other).permit == nil)
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func predicatesAskToOnesAsAccessorsDo(_ place: StoreLocation) throws {
    let store = try store(place)
    let writing = store.context()
    let (ann, bob) = (Person(name: "ann"), Person(name: "bob"))
    ann.permit = Permit(number: "1")
    writing.insert(ann)
    writing.insert(bob)
    try writing.save()
    let context = store.context()
    let people = try context.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(people[0].permit?.number == "1")
    bob.permit = ann.permit
    try writing.save()
    people[0].name = "Ann"
    let holders = try context.fetch(FetchDescriptor<Person>(predicate: #Predicate { $0.permit?.number == "1" }))
    #expect(holders.map(\.name) == ["bob"])
    #expect(people[0].permit == nil)
  }
}

/// Lists over tables of pairs beyond those that a context holds at a time.
@Suite struct LinkHolderTests {
  private static let many = 1_024

  @Test func oneWayListsAreSavedHoweverManyAreLoaded() throws {
    let store = try TestStore(.memory, Article.self, Tag.self)
    let writing = store.context()
    for number in 0..<Self.many {
      let article = Article(title: "\(number)")
      article.tags = [Tag(name: "old")]
      writing.insert(article)
    }
    try writing.save()
    let context = store.context()
    let articles = try context.fetch(FetchDescriptor<Article>(sortBy: [SortDescriptor(\.title)]))
    for article in articles { #expect(article.tags.count == 1) }
    let other = store.context()
    other.insert(Tag(name: "new"))
    try other.save()
    let new = try #require(
      try context.fetch(FetchDescriptor<Tag>(predicate: #Predicate { $0.name == "new" })).first)
    for article in articles { article.tags = [new] }
    try context.save()
    let read = try store.context().fetch(FetchDescriptor<Article>())
    #expect(read.allSatisfy { $0.tags.map(\.name) == ["new"] })
  }

  @Test func ordersOfManyToManysAreSavedHoweverManyAreLoaded() throws {
    let store = try TestStore(.memory, Course.self, Student.self)
    let writing = store.context()
    let students = ["a", "b", "c"].map { Student(name: $0) }
    for number in 0..<Self.many + 10 {
      let course = Course(title: "\(number)")
      course.students = students
      writing.insert(course)
    }
    try writing.save()
    let context = store.context()
    let courses = try context.fetch(FetchDescriptor<Course>())
    for course in courses { #expect(course.students.count == 3) }
    for course in courses { course.students.reverse() }
    try context.save()
    let read = try store.context().fetch(FetchDescriptor<Course>())
    #expect(read.allSatisfy { $0.students.map(\.name) == ["c", "b", "a"] })
  }
}
