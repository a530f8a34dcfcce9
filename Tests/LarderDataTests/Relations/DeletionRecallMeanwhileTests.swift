import Foundation
import LarderData
import Observation
import Testing

/// Deletions that are taken back while, or after, somebody asks for something else.
@Suite struct DeletionRecallMeanwhileTests {
  @Test(arguments: StoreLocation.allCases)
  func observerThatTakesADeletionBackIsHeard(_ place: StoreLocation) throws {
    let store = try TestStore(place, Node.self, Family.self, Member.self)
    for isRollback in [false, true] {
      let (root, leaf) = (Node(name: "root"), Node(name: "leaf"))
      leaf.parent = root
      let family = Family(name: "\(isRollback)")
      family.members = [Member(name: "m")]
      let context = try store.saved([leaf, family])
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

  @Test(arguments: StoreLocation.allCases)
  func observerOfWhatComesBackIsHeardOnceAllIs(_ place: StoreLocation) throws {
    let store = try TestStore(place, Course.self, Node.self)
    let course = Course(title: "c")
    let students = [Student(name: "s"), Student(name: "t")]
    course.students = students
    let nodes = [Node(name: "a"), Node(name: "b")]
    let context = try store.saved([course, nodes[0], nodes[1]])
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
  @Test(arguments: StoreLocation.allCases, [false, true])
  func whatForbidsADeletionDoesSoWhenItIsBack(_ place: StoreLocation, _ isBookFirst: Bool) throws {
    let store = try TestStore(place, Library.self)
    let library = Library(name: "l")
    let book = Book(title: "b")
    library.books = [book]
    let context = try store.saved([library])
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

  @Test(arguments: StoreLocation.allCases)
  func whatIsDeletedOnceMoreStaysDeleted(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    for isByPredicate in [false, true] {
      let family = Family(name: "\(isByPredicate)")
      family.members = [Member(name: "a"), Member(name: "b")]
      let context = try store.saved([family])
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
  @Test(arguments: StoreLocation.allCases)
  func whatFoundAnotherOwnerGoesAndComesWithThat(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let (first, second) = (Family(name: "1"), Family(name: "2"))
    first.members = [Member(name: "m")]
    let context = try store.saved([first, second])
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

  @Test(arguments: StoreLocation.allCases)
  func whatIsSetSinceStaysAsItIs(_ place: StoreLocation) throws {
    let store = try TestStore(place, Node.self, Person.self)
    let (root, other, leaf) = (Node(name: "root"), Node(name: "other"), Node(name: "leaf"))
    leaf.parent = root
    let (person, permit) = (Person(name: "p"), Permit(number: "1"))
    person.permit = permit
    let context = try store.saved([leaf, other, person])
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
}
