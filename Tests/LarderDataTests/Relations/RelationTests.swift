import Foundation
import LarderData
import LarderSQLite
import Testing

@Suite struct RelationTests {
  /// Names in the store's order, from a context that has seen nothing yet.
  private func stored<T: PersistentModel, Value>(
    _ container: ModelContainer, _ type: T.Type, _ body: ([T]) throws -> Value
  ) throws -> Value {
    let context = ModelContext(container)
    return try body(context.fetch(FetchDescriptor<T>()))
  }

  private func statements(_ context: ModelContext) throws -> Int64 {
    try context.core.sessions[0].read { $0.status().statementRuns }
  }

  @Test func graphIsInsertedThroughOneOfItsMembers() throws {
    let container = try relationContainer()
    let context = ModelContext(container)
    let family = Family(name: "Doe")
    let member = Member(name: "Jane", family: family)
    family.members = [Member(name: "John"), member]
    context.insert(member)
    #expect(family.modelContext == context)
    #expect(family.members.map(\.name) == ["John", "Jane"])
    #expect(family.members.allSatisfy { $0.family === family })
    try context.save()
    try stored(container, Family.self) { families in
      #expect(families.count == 1)
      #expect(families[0].members.map(\.name) == ["John", "Jane"])
      #expect(families[0].members[1].family === families[0])
    }
  }

  @Test func newObjectRelatedToOneInAContextIsInserted() throws {
    let context = ModelContext(try relationContainer())
    let (family, course, root) = (Family(name: "f"), Course(title: "c"), Node(name: "root"))
    for model in [family, course, root] as [any PersistentModel] { context.insert(model) }
    try context.save()
    let member = Member(name: "m")
    member.family = family
    let student = Student(name: "s")
    student.courses = [course]
    let leaf = Node(name: "leaf")
    leaf.parent = root
    let shelf = Shelf(place: 1, library: Library(name: "l"))
    #expect(shelf.modelContext == nil)
    #expect([member.modelContext, student.modelContext, leaf.modelContext] == [context, context, context])
    #expect(family.members == [member])
    #expect(course.students == [student])
    #expect(root.children == [leaf])
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Member>()) == 1)
    #expect(!context.hasChanges)
    // One whose row is gone stays out, and so does one that is related to it.
    context.delete(member)
    try context.save()
    member.family = family
    #expect(member.modelContext == nil)
    context.delete(family)
    let late = Member(name: "late")
    late.family = family
    #expect(late.modelContext == nil)
    try context.save()
  }

  @Test func settingOneSideSetsTheOther() throws {
    let context = ModelContext(try relationContainer())
    let (one, other) = (Family(name: "One"), Family(name: "Other"))
    context.insert(one)
    context.insert(other)
    let member = Member(name: "Ann")
    one.members.append(member)
    #expect(member.modelContext == context)
    #expect(member.family === one)
    member.family = other
    #expect(one.members.isEmpty)
    #expect(other.members.map(\.name) == ["Ann"])
    other.members.removeAll()
    #expect(member.family == nil)
    try context.save()
    member.family = one
    #expect(one.members == [member])
    one.members = []
    #expect(member.family == nil)
  }

  @Test func orderLasts() throws {
    let container = try relationContainer()
    let context = ModelContext(container)
    let family = Family(name: "Many")
    context.insert(family)
    family.members = (0..<20).map { Member(name: "\($0)") }
    try context.save()
    func names() throws -> [String] { try stored(container, Family.self) { $0[0].members.map(\.name) } }
    #expect(try names() == (0..<20).map(String.init))
    family.members.reverse()
    try context.save()
    #expect(try names() == (0..<20).reversed().map(String.init))
    family.members.swapAt(3, 17)
    family.members.insert(Member(name: "new"), at: 0)
    family.members.remove(at: 5)
    let expected = family.members.map(\.name)
    try context.save()
    #expect(try names() == expected)
    Member(name: "last").family = family
    let late = Member(name: "late")
    late.family = family
    context.insert(late)
    try context.save()
    #expect(try names() == expected + ["last", "late"])
  }

  @Test func manyToMany() throws {
    let container = try relationContainer()
    let context = ModelContext(container)
    let students = ["a", "b", "c"].map { Student(name: $0) }
    let courses = ["x", "y"].map { Course(title: $0) }
    courses.forEach(context.insert)
    courses[0].students = [students[2], students[0]]
    students[1].courses = [courses[1], courses[0]]
    #expect(courses[0].students.map(\.name) == ["c", "a", "b"])
    #expect(students[0].courses.map(\.title) == ["x"])
    try context.save()
    try stored(container, Course.self) { courses in
      #expect(courses.map { $0.students.map(\.name) } == [["c", "a", "b"], ["b"]])
      #expect(courses[1].students[0].courses.map(\.title) == ["y", "x"])
    }
    courses[0].students.removeFirst()
    context.delete(students[0])
    #expect(courses[0].students.map(\.name) == ["b"])
    try context.save()
    try stored(container, Course.self) { courses in
      #expect(courses.map { $0.students.map(\.name) } == [["b"], ["b"]])
    }
  }

  @Test func oneToOne() throws {
    let container = try relationContainer()
    let context = ModelContext(container)
    let (ann, ben) = (Person(name: "Ann"), Person(name: "Ben"))
    let permit = Permit(number: "1")
    ann.permit = permit
    context.insert(ann)
    context.insert(ben)
    #expect(permit.holder === ann)
    try context.save()
    ben.permit = permit
    #expect(permit.holder === ben)
    #expect(ann.permit == nil)
    try context.save()
    try stored(container, Person.self) { people in
      let ben = try #require(people.first { $0.name == "Ben" })
      #expect(ben.permit?.number == "1")
      #expect(ben.permit?.holder === ben)
      #expect(people.first { $0.name == "Ann" }?.permit == nil)
    }
  }

  @Test func treesLeadBothWays() throws {
    let container = try relationContainer()
    let context = ModelContext(container)
    let root = Node(name: "root")
    let leaf = Node(name: "leaf")
    let twig = Node(name: "twig")
    twig.children = [leaf]
    root.children = [twig]
    context.insert(leaf)
    // Nothing leads from the leaf to the others yet.
    #expect(twig.modelContext == nil)
    context.insert(root)
    #expect(leaf.parent === twig)
    try context.save()
    try stored(container, Node.self) { nodes in
      let root = try #require(nodes.first { $0.parent == nil })
      #expect(root.children?.first?.children?.first?.name == "leaf")
    }
  }

  @Test func oneWay() throws {
    let container = try relationContainer()
    let context = ModelContext(container)
    let (swift, linux) = (Tag(name: "swift"), Tag(name: "linux"))
    let (one, two) = (Article(title: "one"), Article(title: "two"))
    one.tags = [swift, linux]
    two.tags = [swift]
    two.cover = Picture(path: "p")
    context.insert(one)
    context.insert(two)
    try context.save()
    try stored(container, Article.self) { articles in
      #expect(articles.map { $0.tags.map(\.name) } == [["swift", "linux"], ["swift"]])
      #expect(articles[1].cover?.path == "p")
    }
    context.delete(swift)
    #expect(one.tags == [linux])
    context.delete(try #require(two.cover))
    #expect(two.cover == nil)
    try context.save()
    try stored(container, Article.self) { articles in
      #expect(articles.map { $0.tags.map(\.name) } == [["linux"], []])
      #expect(articles[1].cover == nil)
    }
  }

  @Test func cascade() throws {
    let container = try relationContainer()
    let context = ModelContext(container)
    let family = Family(name: "Doomed")
    family.members = [Member(name: "a"), Member(name: "b")]
    context.insert(family)
    context.insert(Member(name: "free"))
    try context.save()
    let other = ModelContext(container)
    other.delete(try #require(other.fetch(FetchDescriptor<Family>()).first))
    #expect(try other.fetch(FetchDescriptor<Member>()).map(\.name) == ["free"])
    #expect(other.deletedModelsArray.count == 1)
    try other.save()
    #expect(try stored(container, Member.self) { $0.map(\.name) } == ["free"])
  }

  @Test func denyAndWhatIsNotOptional() throws {
    let container = try relationContainer()
    let context = ModelContext(container)
    let library = Library(name: "City")
    let book = Book(title: "b")
    library.books = [book]
    context.insert(library)
    try context.save()
    context.delete(library)
    #expect { try context.save() } throws: { ($0 as? SaveError)?.code == .deletionDenied }
    book.library = nil
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Library>()) == 0)

    let second = Library(name: "Second")
    let shelf = Shelf(place: 1, library: second)
    context.insert(shelf)
    try context.save()
    context.delete(second)
    #expect { try context.save() } throws: { ($0 as? SaveError)?.code == .deletionDenied }
    context.delete(shelf)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Shelf>()) == 0)
  }

  @Test func rollbackRestoresRelationships() throws {
    let context = ModelContext(try relationContainer())
    let (one, other) = (Family(name: "One"), Family(name: "Other"))
    one.members = ["a", "b", "c"].map { Member(name: $0) }
    context.insert(one)
    context.insert(other)
    try context.save()
    let members = one.members
    members[1].family = other
    one.members.append(Member(name: "d"))
    one.members.swapAt(0, 1)
    context.delete(members[2])
    context.rollback()
    #expect(one.members == members)
    #expect(other.members.isEmpty)
    #expect(members.allSatisfy { $0.family === one })
    #expect(!context.hasChanges)
  }

  @Test func walkingParentsIsNotAStatementForEach() throws {
    let container = try relationContainer()
    let context = ModelContext(container)
    for number in 0..<3_000 {
      let family = Family(name: "\(number)")
      family.members = [Member(name: "a"), Member(name: "b")]
      context.insert(family)
    }
    try context.save()
    let reader = ModelContext(container)
    let families = try reader.fetch(FetchDescriptor<Family>())
    let before = try statements(reader)
    #expect(families.reduce(0) { $0 + $1.members.count } == 6_000)
    #expect(try statements(reader) - before <= 4)
    let members = try reader.fetch(FetchDescriptor<Member>())
    let again = ModelContext(container)
    let fresh = try again.fetch(FetchDescriptor<Member>())
    let start = try statements(again)
    #expect(fresh.allSatisfy { $0.family != nil })
    #expect(try statements(again) - start <= 8)
    withExtendedLifetime(members) {}
  }

  @Test(.directly("it counts statements")) func prefetchingTakesAStatementForEachRelationship() throws {
    let container = try relationContainer()
    let context = ModelContext(container)
    for number in 0..<500 {
      let family = Family(name: "\(number)")
      family.members = [Member(name: "a"), Member(name: "b")]
      context.insert(family)
      let person = Person(name: "\(number)")
      person.permit = Permit(number: "\(number)")
      context.insert(person)
      let course = Course(title: "\(number)")
      course.students = [Student(name: "x")]
      context.insert(course)
    }
    try context.save()
    func check<T: PersistentModel>(
      _ keyPath: PartialKeyPath<T>, touching body: (T) -> Bool, statements expected: Int64
    ) throws {
      let context = ModelContext(container)
      var descriptor = FetchDescriptor<T>()
      descriptor.relationshipKeyPathsForPrefetching = [keyPath]
      let start = try statements(context)
      let models = try context.fetch(descriptor)
      #expect(try statements(context) - start == expected)
      let before = try statements(context)
      let isRight = models.allSatisfy(body)
      #expect(isRight)
      #expect(try statements(context) == before)
    }
    try check(\Family.members, touching: { $0.members.count == 2 }, statements: 2)
    try check(\Member.family, touching: { $0.family != nil }, statements: 2)
    try check(\Person.permit, touching: { $0.permit?.number == $0.name }, statements: 2)
    try check(\Permit.holder, touching: { $0.holder?.name == $0.number }, statements: 2)
    try check(\Course.students, touching: { $0.students.count == 1 }, statements: 3)
    try check(\Student.courses, touching: { $0.courses.count == 1 }, statements: 3)
  }

  @Test func relatedObjectsDoNotKeepEachOther() throws {
    weak var family: Family?
    weak var member: Member?
    let container = try relationContainer()
    do {
      let context = ModelContext(container)
      let made = Family(name: "x")
      made.members = [Member(name: "y")]
      context.insert(made)
      try context.save()
    }
    do {
      let context = ModelContext(container)
      let fetched = try #require(context.fetch(FetchDescriptor<Family>()).first)
      #expect(fetched.members.first?.family === fetched)
      family = fetched
      member = fetched.members.first
    }
    #expect(family == nil)
    #expect(member == nil)
  }

  /// Objects that were never saved go together, and not one by one.
  @Test func deletingManyNewObjectsTakesAStatementForEachRelationship() throws {
    let context = ModelContext(try relationContainer())
    let root = Node(name: "root")
    root.children = (0..<2_000).map { Node(name: "\($0)") }
    context.insert(root)
    let children = try #require(root.children)
    let start = try statements(context)
    try context.delete(model: Node.self, where: #Predicate { $0.name != "root" })
    #expect(children[0].modelContext == nil)
    #expect(try statements(context) - start < 10)
    #expect(root.children == [])
    context.delete(root)
    #expect(!context.hasChanges)
  }

  /// What goes along with a deletion is gone for whoever looks by an identifier, too.
  @Test func cascadeIsSeenByIdentifiersAtOnce() throws {
    let context = ModelContext(try relationContainer())
    let family = Family(name: "Doe")
    let member = Member(name: "Jane", family: family)
    context.insert(member)
    try context.save()
    let identifier = member.persistentModelID
    context.delete(family)
    #expect(throws: FetchError.self) { try context.existingModel(for: identifier, as: Member.self) }
    let new = Member(name: "John")
    context.insert(new)
    let another = new.persistentModelID
    context.delete(new)
    #expect(context.registeredModel(for: another) as Member? == nil)
  }
}
