import Foundation
import LarderData
import LarderModels
import LarderSQLite
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

/// Deletions of several objects that are taken back, and lists that were not loaded.
@Suite struct DeletionRecallEdgeTests {
  private func statements(_ context: ModelContext) throws -> Int64 {
    try context.core.sessions[0].read { $0.status().statementRuns }
  }

  /// However many looked in between.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func whatWentAlongWithTwoComesBackWithEither(_ place: StoreLocation, _ isLookedAt: Bool) throws {
    let store = try TestStore(place, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self)
    let (one, two, shared) = (Coach(number: 1), Coach(number: 2), Coach(number: 3))
    one.apprentice = shared
    two.apprentice = shared
    let context = try store.saved([one, two])
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

  @Test(arguments: StoreLocation.allCases, [false, true])
  func whatHasTwoOwnersComesBackWithEither(_ place: StoreLocation, _ isLookedAt: Bool) throws {
    let store = try TestStore(place, Desk.self, Binder.self, Form.self)
    let (desk, folder, sheet) = (Desk(), Binder(), Form())
    sheet.desk = desk
    sheet.folder = folder
    let context = try store.saved([sheet])
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

  @Test(arguments: StoreLocation.allCases)
  func memberStandsOnceInAListThatWasNotLoaded(_ place: StoreLocation) throws {
    let store = try TestStore(place, Course.self)
    _ = try store.saved([Course(title: "c"), Student(name: "s")])
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

  @Test(arguments: StoreLocation.allCases)
  func memberThatWasAddedUnseenStandsOnceInItsList(_ place: StoreLocation) throws {
    let store = try TestStore(place, Node.self)
    _ = try store.saved([Node(name: "root"), Node(name: "leaf")])
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

  @Test(arguments: StoreLocation.allCases)
  func oneWayListHasAgainWhatWasDeletedBeforeItWasLoaded(_ place: StoreLocation) throws {
    let store = try TestStore(place, Article.self)
    let article = Article(title: "a")
    article.tags = [Tag(name: "t")]
    _ = try store.saved([article])
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
  @Test(arguments: StoreLocation.allCases, [false, true])
  func oneWayListLosesWhatIsTakenOutOnceItIsBack(_ place: StoreLocation, _ isChanged: Bool) throws {
    let store = try TestStore(place, Article.self)
    let article = Article(title: "a")
    article.tags = [Tag(name: "t")]
    _ = try store.saved([article])
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
      _ = try store.saved([squad])
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
