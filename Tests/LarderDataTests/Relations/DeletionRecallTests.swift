import Foundation
import LarderData
import Testing

/// A deletion that is taken back by an insert, after it was carried to related objects.
@Suite struct DeletionRecallTests {
  @Test(arguments: StoreLocation.allCases)
  func memberStandsInItsListAgain(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let family = Family(name: "Doe")
    family.members = ["a", "b"].map { Member(name: $0) }
    let context = try store.saved([family])
    let first = family.members[0]
    context.delete(first)
    #expect(family.members.map(\.name) == ["b"])
    context.insert(first)
    #expect(family.members.map(\.name) == ["b", "a"])
    #expect(first.family === family)
    try context.save()
    let read = try store.context().fetch(FetchDescriptor<Family>())
    #expect(read.first?.members.map(\.name) == ["b", "a"])
  }

  @Test(arguments: StoreLocation.allCases)
  func cascadeIsTakenBackWhetherItsObjectsAreLoadedOrNot(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let family = Family(name: "Doe")
    family.members = ["a", "b"].map { Member(name: $0) }
    _ = try store.saved([family])
    for isLoaded in [true, false] {
      let context = store.context()
      let found = try #require(try context.fetch(FetchDescriptor<Family>()).first)
      if isLoaded { #expect(found.members.count == 2) }
      context.delete(found)
      #expect(try context.fetchCount(FetchDescriptor<Member>()) == 0)
      context.insert(found)
      #expect(try context.fetchCount(FetchDescriptor<Member>()) == 2)
      #expect(found.members.map(\.name) == ["a", "b"])
      #expect(found.members.allSatisfy { $0.family === found })
      try context.save()
      #expect(try store.rows("SELECT count(*) FROM Member WHERE family IS NOT NULL") == [[.integer(2)]])
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func manyToManyIsJoinedAgainAtBothEnds(_ place: StoreLocation) throws {
    let store = try TestStore(place, Course.self, Student.self)
    let (course, student) = (Course(title: "c"), Student(name: "s"))
    course.students = [student]
    let context = try store.saved([course])
    context.delete(student)
    #expect(course.students.isEmpty)
    context.insert(student)
    #expect(course.students == [student])
    #expect(student.courses == [course])
    try context.save()
    let read = try store.context().fetch(FetchDescriptor<Course>())
    #expect(read.first?.students.map(\.name) == ["s"])
  }

  @Test(arguments: StoreLocation.allCases)
  func keysThatWereTakenOutAreBack(_ place: StoreLocation) throws {
    let store = try TestStore(place, Library.self, Node.self, Person.self)
    let (root, leaf) = (Node(name: "root"), Node(name: "leaf"))
    leaf.parent = root
    let (person, permit) = (Person(name: "p"), Permit(number: "1"))
    person.permit = permit
    let context = try store.saved([leaf, person])
    for model in [root, person, permit] as [any PersistentModel] {
      func turn<Model: PersistentModel>(_ model: Model) throws {
        context.delete(model)
        _ = try context.fetchCount(FetchDescriptor<Node>())
        _ = (leaf.parent, person.permit, permit.holder)
        context.insert(model)
      }
      try turn(model)
      #expect(leaf.parent === root)
      #expect(root.children == [leaf])
      #expect(person.permit === permit)
      #expect(permit.holder === person)
    }
    try context.save()
    let other = store.context()
    #expect(try other.fetch(FetchDescriptor<Person>()).first?.permit?.number == "1")
    #expect(try other.fetch(FetchDescriptor<Node>(predicate: #Predicate { $0.parent?.name == "root" })).count == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func whatAnotherTookMeanwhileStaysTheOthers(_ place: StoreLocation) throws {
    let store = try TestStore(place, Person.self)
    let (person, permit) = (Person(name: "p"), Permit(number: "1"))
    person.permit = permit
    let context = try store.saved([person])
    context.delete(person)
    #expect(permit.holder == nil)
    let heir = Person(name: "heir")
    context.insert(heir)
    heir.permit = permit
    context.insert(person)
    #expect(person.permit == nil)
    #expect(heir.permit === permit)
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Permit>()).first?.holder?.name == "heir")
  }

  @Test(arguments: StoreLocation.allCases)
  func objectWhoseOwnerStaysDeletedHasNone(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let family = Family(name: "Doe")
    family.members = [Member(name: "a")]
    let context = try store.saved([family])
    let member = family.members[0]
    context.delete(family)
    _ = try context.fetchCount(FetchDescriptor<Member>())
    context.insert(member)
    #expect(member.family == nil)
    try context.save()
    #expect(try store.rows("SELECT name, family FROM Member") == [[.text("a"), .null]])
  }

  @Test(arguments: StoreLocation.allCases)
  func whatWasDeletedForItsOwnSakeStaysDeleted(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let family = Family(name: "Doe")
    family.members = ["before", "beside", "after", "with"].map { Member(name: $0) }
    let context = try store.saved([family])
    let members = family.members
    context.delete(members[0])
    #expect(family.members.count == 3)
    context.delete(members[1])
    context.delete(family)
    #expect(try context.fetchCount(FetchDescriptor<Member>()) == 0)
    context.delete(members[2])
    context.insert(family)
    #expect(family.members.map(\.name) == ["with"])
    try context.save()
    #expect(try store.rows("SELECT name FROM Member") == [[.text("with")]])
  }

  @Test(arguments: StoreLocation.allCases)
  func whatWasPartedBeforeStaysParted(_ place: StoreLocation) throws {
    let store = try TestStore(place, Node.self, Course.self, Article.self)
    let (root, leaf, twig) = (Node(name: "root"), Node(name: "leaf"), Node(name: "twig"))
    for node in [leaf, twig] { node.parent = root }
    let (course, student) = (Course(title: "c"), Student(name: "s"))
    course.students = [student]
    let (article, tag) = (Article(title: "a"), Tag(name: "t"))
    article.tags = [tag]
    _ = try store.saved([leaf, twig, course, article])
    for isLoaded in [true, false] {
      let context = store.context()
      let nodes = try context.fetch(FetchDescriptor<Node>(sortBy: [SortDescriptor(\.name)]))
      let (leaf, root, twig) = (nodes[0], nodes[1], nodes[2])
      let course = try #require(try context.fetch(FetchDescriptor<Course>()).first)
      let student = try #require(try context.fetch(FetchDescriptor<Student>()).first)
      let article = try #require(try context.fetch(FetchDescriptor<Article>()).first)
      let tag = try #require(try context.fetch(FetchDescriptor<Tag>()).first)
      if isLoaded { #expect((root.children?.count, student.courses.count) == (2, 1)) }
      leaf.parent = nil
      course.students = []
      article.tags = []
      context.delete(root)
      context.delete(student)
      context.delete(tag)
      #expect(twig.parent == nil)
      context.insert(root)
      context.insert(student)
      context.insert(tag)
      #expect(leaf.parent == nil)
      #expect(root.children == [twig])
      #expect(student.courses.isEmpty)
      #expect(course.students.isEmpty)
      #expect(article.tags.isEmpty)
      context.rollback()
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func objectsThatWereNeverSavedAreRelatedAgain(_ place: StoreLocation) throws {
    let store = try TestStore(place, Node.self, Course.self)
    let (root, course) = (Node(name: "root"), Course(title: "c"))
    let context = try store.saved([root, course])
    let (leaf, student) = (Node(name: "leaf"), Student(name: "s"))
    leaf.parent = root
    course.students = [student]
    context.delete(root)
    context.delete(course)
    #expect(leaf.parent == nil)
    #expect(student.courses.isEmpty)
    context.insert(root)
    context.insert(course)
    #expect(leaf.parent === root)
    #expect(root.children == [leaf])
    #expect(student.courses == [course])
    try context.save()
    let other = store.context()
    #expect(try other.fetch(FetchDescriptor<Node>(predicate: #Predicate { $0.parent?.name == "root" })).count == 1)
    #expect(try other.fetch(FetchDescriptor<Course>()).first?.students.map(\.name) == ["s"])
  }

  /// Whichever of two comes back first.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func twoThatWereDeletedAreRelatedAgainOnceBothAreBack(_ place: StoreLocation, _ isOwnerFirst: Bool) throws {
    let store = try TestStore(place, Node.self, Course.self, Article.self)
    let (root, leaf) = (Node(name: "root"), Node(name: "leaf"))
    leaf.parent = root
    let (course, student) = (Course(title: "c"), Student(name: "s"))
    course.students = [student]
    let (article, tag) = (Article(title: "a"), Tag(name: "t"))
    article.tags = [tag]
    let context = try store.saved([leaf, course, article])
    let pairs: [[any PersistentModel]] = [[root, leaf], [course, student], [article, tag]]
    for pair in pairs {
      for model in pair {
        context.delete(model)
        _ = try context.fetchCount(FetchDescriptor<Node>())
      }
      for model in isOwnerFirst ? pair : pair.reversed() {
        context.insert(model)
        _ = try context.fetchCount(FetchDescriptor<Node>())
      }
    }
    #expect(leaf.parent === root)
    #expect(root.children == [leaf])
    #expect(course.students == [student])
    #expect(student.courses == [course])
    #expect(article.tags == [tag])
    try context.save()
    let read = try store.context().fetch(FetchDescriptor<Course>())
    #expect(read.first?.students.map(\.name) == ["s"])
    #expect(try store.rows("SELECT count(*) FROM Node WHERE parent IS NOT NULL") == [[.integer(1)]])
  }

  /// A chain comes back without a call within a call for each of its links.
  @Test func longChainOfCascadesIsTakenBack() throws {
    let length = 5_000
    let store = try TestStore(.memory, Branch.self)
    let root = Branch(number: 0)
    var last = root
    for number in 1..<length {
      let next = Branch(number: number)
      last.twigs = [next]
      last = next
    }
    let context = try store.saved([root])
    context.delete(root)
    #expect(try context.fetchCount(FetchDescriptor<Branch>()) == 0)
    context.insert(root)
    #expect(try context.fetchCount(FetchDescriptor<Branch>()) == length)
    try context.save()
    #expect(try store.rows("SELECT count(*) FROM Branch WHERE parent IS NOT NULL") == [[.integer(Int64(length - 1))]])
    withExtendedLifetime(last) {}
  }

  /// One to which others must lead keeps being what they read as, and nobody keeps it for ever.
  @Test(arguments: StoreLocation.allCases)
  func whatIsLostCanBeReadAndGoes(_ place: StoreLocation) throws {
    let store = try TestStore(place, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self)
    weak var lost: Squad?
    do {
      let context = store.context()
      let squad = Squad(number: 7)
      lost = squad
      let kit = Kit(number: 1, squad: squad)
      context.insert(kit)
      squad.kits = []
      #expect(kit.squad.number == 7)
      context.delete(squad)
      #expect(kit.squad.number == 7)
      #expect(throws: SaveError.self) { try context.save() }
      context.delete(kit)
      try context.save()
    }
    #expect(lost == nil)
    do {
      let context = store.context()
      let squad = Squad(number: 7)
      lost = squad
      context.insert(Kit(number: 1, squad: squad))
      context.delete(squad)
      context.rollback()
    }
    #expect(lost == nil)
  }
}
