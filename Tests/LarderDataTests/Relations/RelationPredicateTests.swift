import Foundation
import LarderData
import Testing

/// Each predicate through relationships gives what plain Swift gives: of saved objects, of pending ones, and with edits of
/// related objects that are not saved.
@Suite struct RelationPredicateTests {
  struct Case<Model: PersistentModel>: Sendable {
    let name: String
    let predicate: Predicate<Model>
    let test: @Sendable (Model) -> Bool
  }

  static let members: [Case<Member>] = {
    let doe = "Doe"
    let none: String? = nil
    return [
      Case(name: "to-one", predicate: #Predicate { $0.family?.name == doe }) { $0.family?.name == "Doe" },
      Case(name: "not to-one", predicate: #Predicate { $0.family?.name != doe }) { $0.family?.name != "Doe" },
      Case(name: "nil", predicate: #Predicate { $0.family == nil }) { $0.family == nil },
      Case(name: "not nil", predicate: #Predicate { $0.family != nil }) { $0.family != nil },
      Case(name: "name nil", predicate: #Predicate { $0.family?.name == none }) { $0.family?.name == nil },
      Case(name: "coalesced", predicate: #Predicate { ($0.family?.name ?? "x") == "x" }) {
        ($0.family?.name ?? "x") == "x"
      },
      Case(
        name: "starts",
        predicate: #Predicate { if let family = $0.family { family.name.starts(with: "D") } else { false } }
      ) {
        $0.family?.name.hasPrefix("D") ?? false
      },
      Case(name: "siblings", predicate: #Predicate { ($0.family?.members.count ?? 0) > 1 }) {
        ($0.family?.members.count ?? 0) > 1
      },
      Case(
        name: "an older sibling",
        predicate: #Predicate { member in
          if let family = member.family { family.members.contains { $0.age > member.age } } else { false }
        }
      ) { member in member.family?.members.contains { $0.age > member.age } ?? false },
      Case(name: "or", predicate: #Predicate { $0.age > 30 || $0.family?.name == doe }) {
        $0.age > 30 || $0.family?.name == "Doe"
      },
      Case(name: "if let", predicate: #Predicate { if let family = $0.family { family.name == doe } else { true } }) {
        if let family = $0.family { family.name == "Doe" } else { true }
      },
      Case(
        name: "in Swift", predicate: #Predicate { if let family = $0.family { family.name.count == 3 } else { false } }
      ) { $0.family?.name.count == 3 },
    ]
  }()

  static let families: [Case<Family>] = {
    let old = 40
    return [
      Case(name: "contains", predicate: #Predicate { $0.members.contains { $0.age > old } }) {
        $0.members.contains { $0.age > 40 }
      },
      Case(name: "all", predicate: #Predicate { $0.members.allSatisfy { $0.age > 10 } }) {
        $0.members.allSatisfy { $0.age > 10 }
      },
      Case(name: "count", predicate: #Predicate { $0.members.count == 2 }) { $0.members.count == 2 },
      Case(name: "empty", predicate: #Predicate { $0.members.isEmpty }) { $0.members.isEmpty },
      Case(name: "not empty", predicate: #Predicate { $0.members.isEmpty == false }) { !$0.members.isEmpty },
      Case(name: "filter", predicate: #Predicate { $0.members.filter { $0.age > 10 }.count > 1 }) {
        $0.members.filter { $0.age > 10 }.count > 1
      },
      Case(
        name: "filter contains",
        predicate: #Predicate { $0.members.filter { $0.age > 10 }.contains { $0.name == "Jane" } }
      ) {
        $0.members.filter { $0.age > 10 }.contains { $0.name == "Jane" }
      },
      Case(name: "back", predicate: #Predicate { $0.members.contains { $0.family?.persistentModelID != nil } }) {
        !$0.members.isEmpty
      },
      Case(name: "regex", predicate: #Predicate { $0.members.contains { $0.name.count == 4 } }) {
        $0.members.contains { $0.name.count == 4 }
      },
      Case(name: "both", predicate: #Predicate { $0.name == "Doe" && $0.members.contains { $0.age > old } }) {
        $0.name == "Doe" && $0.members.contains { $0.age > 40 }
      },
    ]
  }()

  static let courses: [Case<Course>] = [
    Case(name: "pairs", predicate: #Predicate { $0.students.contains { $0.name == "a" } }) {
      $0.students.contains { $0.name == "a" }
    },
    Case(name: "pairs of pairs", predicate: #Predicate { $0.students.contains { $0.courses.count > 1 } }) {
      $0.students.contains { $0.courses.count > 1 }
    },
    Case(name: "none", predicate: #Predicate { !$0.students.contains { $0.name == "a" } }) {
      !$0.students.contains { $0.name == "a" }
    },
  ]

  static let nodes: [Case<Node>] = [
    Case(name: "parent", predicate: #Predicate { $0.parent?.parent?.name == "root" }) {
      $0.parent?.parent?.name == "root"
    },
    Case(name: "no parent", predicate: #Predicate { $0.parent?.parent == nil }) { $0.parent?.parent == nil },
    Case(name: "children", predicate: #Predicate { ($0.children?.count ?? 0) > 0 }) { ($0.children?.count ?? 0) > 0 },
    Case(name: "of children", predicate: #Predicate { $0.children?.contains { $0.name == "leaf" } ?? false }) {
      $0.children?.contains { $0.name == "leaf" } ?? false
    },
  ]

  static let people: [Case<Person>] = [
    Case(name: "mirror", predicate: #Predicate { $0.permit?.number == "1" }) { $0.permit?.number == "1" },
    Case(name: "no permit", predicate: #Predicate { $0.permit == nil }) { $0.permit == nil },
    Case(name: "there and back", predicate: #Predicate { $0.permit?.holder?.name == "Ann" }) {
      $0.permit?.holder?.name == "Ann"
    },
  ]

  static let articles: [Case<Article>] = [
    Case(name: "one way", predicate: #Predicate { $0.tags.contains { $0.name == "swift" } }) {
      $0.tags.contains { $0.name == "swift" }
    },
    Case(name: "one way to one", predicate: #Predicate { $0.cover?.path == "p" }) { $0.cover?.path == "p" },
  ]

  private func fill(_ context: ModelContext) {
    let doe = Family(name: "Doe")
    doe.members = [Member(name: "Jane", age: 42), Member(name: "John", age: 12), Member(name: "Jim", age: 7)]
    let ray = Family(name: "Ray")
    ray.members = [Member(name: "Rita", age: 33), Member(name: "Rob", age: 31)]
    for family in [doe, ray, Family(name: "None")] { context.insert(family) }
    context.insert(Member(name: "Alone", age: 50))
    let (a, b, c) = (Student(name: "a"), Student(name: "b"), Student(name: "c"))
    for (title, students) in [("x", [a, b]), ("y", [b]), ("z", [c]), ("empty", [])] {
      let course = Course(title: title)
      course.students = students
      context.insert(course)
    }
    let (root, twig, leaf) = (Node(name: "root"), Node(name: "twig"), Node(name: "leaf"))
    root.children = [twig, Node(name: "bare")]
    twig.children = [leaf]
    context.insert(root)
    for (name, number) in [("Ann", "1"), ("Ben", "2"), ("Cat", nil)] {
      let person = Person(name: name)
      person.permit = number.map { Permit(number: $0) }
      context.insert(person)
    }
    let (swift, linux) = (Tag(name: "swift"), Tag(name: "linux"))
    for (title, tags) in [("one", [swift, linux]), ("two", [linux]), ("three", [])] {
      let article = Article(title: title)
      article.tags = tags
      if title == "two" { article.cover = Picture(path: "p") }
      context.insert(article)
    }
  }

  private func check<Model: PersistentModel>(
    _ cases: [Case<Model>], _ context: ModelContext, _ when: String
  ) throws {
    for one in cases {
      let all = try context.fetch(FetchDescriptor<Model>())
      let expected = Set(all.filter(one.test).map(\.persistentModelID))
      let found = try context.fetch(FetchDescriptor(predicate: one.predicate))
      #expect(Set(found.map(\.persistentModelID)) == expected, "\(Model.self) \(one.name), \(when)")
      #expect(found.count == expected.count, "\(Model.self) \(one.name), \(when)")
      let count = try context.fetchCount(FetchDescriptor(predicate: one.predicate))
      #expect(count == expected.count, "\(Model.self) \(one.name), \(when)")
    }
  }

  private func checkAll(_ context: ModelContext, _ when: String) throws {
    try check(Self.members, context, when)
    try check(Self.families, context, when)
    try check(Self.courses, context, when)
    try check(Self.nodes, context, when)
    try check(Self.people, context, when)
    try check(Self.articles, context, when)
  }

  @Test func savedAndPending() throws {
    let container = try relationContainer()
    let context = ModelContext(container)
    fill(context)
    try checkAll(context, "pending")
    try context.save()
    try checkAll(context, "saved")
    try checkAll(ModelContext(container), "fetched")
  }

  @Test func relatedObjectsArePending() throws {
    let container = try relationContainer()
    do {
      let context = ModelContext(container)
      fill(context)
      try context.save()
    }
    let context = ModelContext(container)
    let members = try context.fetch(FetchDescriptor<Member>())
    members.first { $0.name == "Rob" }?.age = 60
    try checkAll(context, "an edit")
    members.first { $0.name == "Jim" }?.family = nil
    try checkAll(context, "a key taken away")
    members.first { $0.name == "Alone" }?.family = try context.fetch(FetchDescriptor<Family>()).first {
      $0.name == "None"
    }
    try checkAll(context, "a key set")
    context.delete(try #require(members.first { $0.name == "Jane" }))
    try checkAll(context, "a deletion")
    try context.fetch(FetchDescriptor<Family>()).first { $0.name == "Doe" }?.name = "Roe"
    try checkAll(context, "a renamed owner")
    let courses = try context.fetch(FetchDescriptor<Course>())
    courses[3].students.append(Student(name: "a"))
    courses[0].students.removeFirst()
    try checkAll(context, "pairs")
    let people = try context.fetch(FetchDescriptor<Person>())
    people[2].permit = people[0].permit
    try checkAll(context, "one to one")
    let articles = try context.fetch(FetchDescriptor<Article>())
    articles[0].tags.reverse()
    articles[2].tags = [articles[1].tags[0]]
    articles[1].cover?.path = "q"
    try checkAll(context, "one way")
    let nodes = try context.fetch(FetchDescriptor<Node>())
    nodes.first { $0.name == "leaf" }?.parent = nodes.first { $0.name == "bare" }
    try checkAll(context, "a tree")
    try context.save()
    try checkAll(ModelContext(container), "fetched")
  }

  @Test func identifiersOfRelatedObjects() throws {
    let container = try relationContainer()
    let context = ModelContext(container)
    fill(context)
    try context.save()
    let doe = try #require(try context.fetch(FetchDescriptor<Family>()).first { $0.name == "Doe" })
    let id = doe.persistentModelID
    let found = try context.fetch(FetchDescriptor<Member>(predicate: #Predicate { $0.family?.persistentModelID == id }))
    #expect(found.count == 3)
    let ids = [id, try #require(doe.members.first).persistentModelID]
    let families = try context.fetch(
      FetchDescriptor<Family>(predicate: #Predicate { $0.members.contains { ids.contains($0.persistentModelID) } }))
    #expect(families == [doe])
    let none: PersistentIdentifier? = nil
    let alone = try context.fetch(
      FetchDescriptor<Member>(predicate: #Predicate { $0.family?.persistentModelID == none }))
    #expect(alone.map(\.name) == ["Alone"])
    let foreign = try #require(doe.members.first).persistentModelID
    let nobody = FetchDescriptor<Member>(predicate: #Predicate { $0.family?.persistentModelID == foreign })
    #expect(try context.fetchCount(nobody) == 0)
  }

  @Test func sortingByRelatedAttributes() throws {
    let container = try relationContainer()
    let context = ModelContext(container)
    fill(context)
    func names(_ context: ModelContext, _ limit: Int? = nil) throws -> [String] {
      var descriptor = FetchDescriptor<Member>(
        sortBy: [
          SortDescriptor(\.family?.name, comparator: .lexical, order: .reverse), SortDescriptor(\.age),
        ])
      descriptor.fetchLimit = limit
      return try context.fetch(descriptor).map(\.name)
    }
    let expected = ["Rob", "Rita", "Jim", "John", "Jane", "Alone"]
    #expect(try names(context) == expected)
    try context.save()
    #expect(try names(ModelContext(container)) == expected)
    #expect(try names(ModelContext(container), 2) == ["Rob", "Rita"])
    let families = try context.fetch(FetchDescriptor<Family>())
    families.first { $0.name == "Doe" }?.name = "Zoe"
    #expect(try names(context) == ["Jim", "John", "Jane", "Rob", "Rita", "Alone"])
    #expect(try names(context, 2) == ["Jim", "John"])
    let nodes = try context.fetch(
      FetchDescriptor<Node>(sortBy: [
        SortDescriptor(\.parent?.parent?.name, comparator: .lexical), SortDescriptor(\.name),
      ]))
    #expect(nodes.map(\.name) == ["bare", "root", "twig", "leaf"])
    let people = try context.fetch(
      FetchDescriptor<Person>(sortBy: [SortDescriptor(\.permit?.number, comparator: .lexical, order: .reverse)]))
    #expect(people.map(\.name) == ["Ben", "Ann", "Cat"])
  }
}
