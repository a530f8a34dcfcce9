import Foundation
import LarderData
import LarderModels
import Testing

@Model
final class Crew {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Sailor.crew) var sailors: [Sailor] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Sailor {
  var number: Int
  var crew: Crew

  init(_ number: Int, _ crew: Crew) {
    self.number = number
    self.crew = crew
  }
}

/// What users of other stores complain of.
@Suite struct RelationComplaintTests {
  /// A child that was inserted loses its parent at the save after a fetch without what is pending.
  @Test(arguments: StoreLocation.allCases)
  func insertedChildKeepsItsParentAfterAFetchWithoutPendingChanges(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let context = store.context()
    let family = Family(name: "f")
    context.insert(family)
    try context.save()
    let member = Member(name: "m", family: family)
    context.insert(member)
    var stored = FetchDescriptor<Family>()
    stored.includePendingChanges = false
    stored.relationshipKeyPathsForPrefetching = [\.members]
    #expect(try context.fetch(stored) == [family])
    var members = FetchDescriptor<Member>()
    members.includePendingChanges = false
    #expect(try context.fetch(members).isEmpty)
    #expect(member.family === family)
    #expect(family.members == [member])
    try context.save()
    #expect(member.family === family)
    #expect(try store.context().fetch(FetchDescriptor<Member>()).map { $0.family?.name } == ["f"])

    // The same in a context that has not looked at the family's members before the fetch does.
    let other = store.context()
    let there = try #require(try other.fetch(FetchDescriptor<Family>()).first)
    let second = Member(name: "n", family: there)
    other.insert(second)
    #expect(try other.fetch(stored) == [there])
    #expect(there.members.map(\.name) == ["m", "n"])
    try other.save()
    #expect(second.family === there)
    #expect(try store.context().fetch(FetchDescriptor<Family>()).map { $0.members.map(\.name) } == [["m", "n"]])
  }

  /// Arrays come back in another order than they were set in.
  @Test func arraysKeepTheirOrder() throws {
    let store = try TestStore(.memory, Family.self, Member.self, Article.self, Tag.self, Picture.self)
    let context = store.context()
    let family = Family(name: "f")
    let article = Article(title: "a")
    let names = [5, 3, 9, 1, 7, 2].map { "\($0)" }
    let members = names.sorted().map { Member(name: $0) }
    members.forEach(context.insert)
    let tags = names.sorted().map { Tag(name: $0) }
    tags.forEach(context.insert)
    try context.save()
    family.members = names.compactMap { name in members.first { $0.name == name } }
    article.tags = names.compactMap { name in tags.first { $0.name == name } }
    context.insert(family)
    context.insert(article)
    try context.save()
    let fresh = store.context()
    #expect(try fresh.fetch(FetchDescriptor<Family>()).map { $0.members.map(\.name) } == [names])
    #expect(try fresh.fetch(FetchDescriptor<Article>()).map { $0.tags.map(\.name) } == [names])
  }

  /// `.deny` and `.noAction` end the program, and what nothing leads back from dangles.
  @Test func deleteRulesAreKeptWithoutEndingTheProgram() throws {
    let store = try TestStore(
      .memory, Library.self, Book.self, Shelf.self, Article.self, Tag.self, Picture.self, Squad.self, Player.self,
      Kit.self, Club.self, Locker.self, Coach.self)
    let context = store.context()
    let library = Library(name: "l")
    library.books = [Book(title: "b")]
    let article = Article(title: "a")
    article.tags = [Tag(name: "t")]
    article.cover = Picture(path: "p")
    context.insert(library)
    context.insert(article)
    let squad = Squad(number: 1)
    squad.kits = []
    context.insert(squad)
    context.insert(Kit(number: 2, squad: squad))
    try context.save()

    let other = store.context()
    try other.delete(model: Tag.self)
    try other.delete(model: Picture.self)
    try other.save()
    let articles = try store.context().fetch(FetchDescriptor<Article>())
    #expect(articles.map(\.tags.count) == [0])
    #expect(articles.map { $0.cover == nil } == [true])
    for _ in 0..<2 {
      try other.delete(model: Library.self)
      let error = #expect(throws: SaveError.self) { try other.save() }
      #expect(error?.code == .deletionDenied)
      #expect(error?.explanation.contains("Library.books") == true)
      other.rollback()
    }
    try other.delete(model: Squad.self)
    #expect { try other.save() } throws: { ($0 as? SaveError)?.code == .deletionDenied }
    try other.delete(model: Kit.self)
    try other.save()
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
  }

  /// A deletion by predicate fails on a relationship that must not be nil.
  @Test(arguments: StoreLocation.allCases)
  func deletionByPredicateReachesThoseThatMustHaveAnOwner(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crew.self, Sailor.self)
    let context = store.context()
    for name in ["a", "b", "c"] {
      let crew = Crew(name)
      context.insert(crew)
      for number in 0..<3 { context.insert(Sailor(number, crew)) }
    }
    try context.save()
    let other = store.context()
    // Those with the reference first: their owners stay.
    try other.delete(model: Sailor.self, where: #Predicate { $0.crew.name == "a" && $0.number > 0 })
    try other.save()
    #expect(try store.value("SELECT count(*) FROM Sailor") == .integer(7))
    #expect(try store.value("SELECT count(*) FROM Crew") == .integer(3))
    // Then owners, with those that could not be without them; one of them is not saved, and one has moved away.
    let crews = try other.fetch(FetchDescriptor<Crew>(sortBy: [SortDescriptor(\.name)]))
    other.insert(Sailor(9, crews[1]))
    let moved = try #require(crews[1].sailors.first)
    moved.crew = crews[2]
    try other.delete(model: Crew.self, where: #Predicate { $0.name < "c" })
    #expect(Set(try other.fetch(FetchDescriptor<Sailor>()).map(\.crew)) == [crews[2]])
    try other.save()
    #expect(try store.rows("SELECT name FROM Crew") == [[.text("c")]])
    #expect(try store.value("SELECT count(*) FROM Sailor") == .integer(4))
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
  }

  /// A deletion by predicate happens at some time during the save.
  @Test(arguments: StoreLocation.allCases)
  func deletionByPredicateIsOfItsMoment(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let context = store.context()
    context.insert(Family(name: "old"))
    try context.save()
    context.insert(Family(name: "pending"))
    try context.delete(model: Family.self)
    // What comes after it is not meant, not even under the same unique name.
    context.insert(Family(name: "old"))
    context.insert(Member(name: "m", family: Family(name: "new")))
    #expect(Set(try context.fetch(FetchDescriptor<Family>()).map(\.name)) == ["old", "new"])
    try context.save()
    let left = try store.context().fetch(FetchDescriptor<Family>(sortBy: [SortDescriptor(\.name)]))
    #expect(left.map(\.name) == ["new", "old"])
    #expect(left[0].members.map(\.name) == ["m"])
  }

  /// A relationship through another that is nil, read step by step.
  @Test func optionalRelationshipsOfOptionalOnesCanBeRead() throws {
    let store = try TestStore(.memory, Node.self)
    let context = store.context()
    let (root, twig, leaf) = (Node(name: "root"), Node(name: "twig"), Node(name: "leaf"))
    leaf.parent = twig
    twig.parent = root
    context.insert(leaf)
    try context.save()
    let nodes = try store.context().fetch(FetchDescriptor<Node>())
    let found = try #require(nodes.first { $0.name == "leaf" })
    #expect(found.parent?.parent?.persistentModelID == root.persistentModelID)
    #expect(found.parent?.parent?.parent?.persistentModelID == nil)
  }

  /// Models cannot be used outside a context; an inverse must be on one side only.
  @Test func modelsOutsideAContextCanBeRelated() throws {
    let family = Family(name: "f")
    let member = Member(name: "m", family: family)
    family.members.append(member)
    #expect(member.family === family)
    #expect(family.members == [member])
    let store = try TestStore(.memory, Family.self, Member.self)
    let context = store.context()
    context.insert(family)
    context.delete(family)
    // Related objects that leave together do not keep each other for ever, so one direction is given up.
    #expect(family.members == [member])
    #expect(family.modelContext == nil)
    #expect(member.modelContext == nil)
  }
}
