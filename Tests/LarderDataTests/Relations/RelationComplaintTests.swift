import Foundation
import LarderData
import Testing

/// What users of other stores complain of.
@Suite struct RelationComplaintTests {
  /// A child that was inserted loses its parent at the save after a fetch without what is pending.
  @Test(arguments: Place.allCases)
  func insertedChildKeepsItsParentAfterAFetchWithoutPendingChanges(_ place: Place) throws {
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
    try context.save()
    family.members = names.compactMap { name in members.first { $0.name == name } }
    article.tags = names.map { Tag(name: $0) }
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
