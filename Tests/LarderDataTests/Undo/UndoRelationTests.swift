import Foundation
import LarderData
import SwiftData
import Testing

/// What a context changed is undone: relationships, and what deletions do to them.
@Suite struct UndoRelationTests {
  private func store(_ place: StoreLocation) throws -> TestStore {
    try TestStore(
      place, Family.self, Member.self, Course.self, Student.self, Person.self, Permit.self, Node.self, Article.self,
      Tag.self, Picture.self, Library.self, Book.self, Shelf.self)
  }

  private func fresh<T: PersistentModel>(_ store: TestStore, _ type: T.Type) throws -> [T] {
    try ModelContext(store.container).fetch(FetchDescriptor<T>())
  }

  private func family(_ store: TestStore, _ names: String) throws {
    let family = Family(name: "f")
    family.members = names.map { Member(name: String($0)) }
    _ = try store.saved([family])
  }

  private func names(_ store: TestStore) throws -> String {
    let reader = store.context()
    return try reader.fetch(FetchDescriptor<Family>()).first.map { $0.members.map(\.name).joined() } ?? "-"
  }

  /// What the deletion was of keeps what it was related to by then.
  @Test(arguments: StoreLocation.allCases)
  func observersOfWhatComesBackAreTold(_ place: StoreLocation) throws {
    let store = try store(place)
    let family = Family(name: "f")
    family.members = [Member(name: "a")]
    _ = try store.saved([family, Family(name: "g")])
    let (context, manager) = store.undoing()
    let member = try #require(try context.fetch(FetchDescriptor<Member>()).first)
    member.family = try context.fetch(FetchDescriptor<Family>()).first { $0.name == "g" }
    context.delete(member)
    context.processPendingChanges()
    let told = Counted(0)
    withObservationTracking {
      #expect(member.family?.name == "g")
    } onChange: {
      told.update { $0 += 1 }
    }
    manager.undo()
    #expect(member.family?.name == "f")
    #expect(told.value == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func orderOfAListIsWhatItWas(_ place: StoreLocation) throws {
    let store = try store(place)
    try family(store, "abcd")
    let (context, manager) = store.undoing()
    let family = try #require(try context.fetch(FetchDescriptor<Family>()).first)
    family.members.reverse()
    try context.save()
    family.members.remove(at: 1)
    try context.save()
    #expect(try names(store) == "dba")
    manager.undo()
    #expect(family.members.map(\.name).joined() == "dcba")
    manager.undo()
    #expect(family.members.map(\.name).joined() == "abcd")
    try context.save()
    #expect(try names(store) == "abcd")
    manager.redo()
    manager.redo()
    try context.save()
    #expect(try names(store) == "dba")
  }

  /// Nobody has the list in memory, nor its owner.
  @Test(arguments: StoreLocation.allCases)
  func memberComesBackToItsPlaceInAListThatNobodyHeld(_ place: StoreLocation) throws {
    let store = try store(place)
    try family(store, "abcd")
    let (context, manager) = store.undoing()
    try context.delete(model: Member.self, where: #Predicate { $0.name == "b" })
    try context.save()
    let moved = try #require(
      try context.fetch(FetchDescriptor<Member>(predicate: #Predicate { $0.name == "c" })).first)
    moved.family = nil
    try context.save()
    #expect(try names(store) == "ad")
    manager.undo()
    try context.save()
    #expect(try names(store) == "acd")
    manager.undo()
    try context.save()
    #expect(try names(store) == "abcd")
  }

  /// The list is loaded, and changed, when some of its members have left it already.
  @Test(arguments: StoreLocation.allCases)
  func membersComeBackToTheirPlacesInAListThatWasLoadedWithoutThem(_ place: StoreLocation) throws {
    let store = try store(place)
    try family(store, "abcd")
    let (context, manager) = store.undoing()
    try context.delete(model: Member.self, where: #Predicate { $0.name == "b" })
    let moved = try #require(
      try context.fetch(FetchDescriptor<Member>(predicate: #Predicate { $0.name == "c" })).first)
    moved.family = nil
    let family = try #require(try context.fetch(FetchDescriptor<Family>()).first)
    #expect(family.members.map(\.name).joined() == "ad")
    family.members.append(Member(name: "e"))
    try context.save()
    manager.undo()
    #expect(family.members.map(\.name).joined() == "abcd")
    try context.save()
    #expect(try names(store) == "abcd")
    manager.redo()
    try context.save()
    #expect(try names(store) == "ade")
  }

  @Test(arguments: StoreLocation.allCases)
  func cascadeIsUndoneWithWhatItTook(_ place: StoreLocation) throws {
    let store = try store(place)
    try family(store, "abc")
    let (context, manager) = store.undoing()
    let family = try #require(try context.fetch(FetchDescriptor<Family>()).first)
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Member>()).sorted()
    context.delete(family)
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Member") == .integer(0))
    manager.undo()
    #expect(family.members.map(\.name).joined() == "abc")
    #expect(family.members.allSatisfy { $0.family === family })
    try context.save()
    #expect(try names(store) == "abc")
    #expect(try store.context().fetchIdentifiers(FetchDescriptor<Member>()).sorted() == identifiers)
    manager.redo()
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Member") == .integer(0))
    // And before it is saved.
    manager.undo()
    try context.save()
    context.delete(family)
    manager.undo()
    #expect(family.members.map(\.name).joined() == "abc")
    try context.save()
    #expect(try names(store) == "abc")
  }

  @Test(arguments: StoreLocation.allCases)
  func manyToManyIsUndoneAtBothEnds(_ place: StoreLocation) throws {
    let store = try store(place)
    let courses = ["x", "y", "z"].map { Course(title: $0) }
    let students = ["a", "b", "c"].map { Student(name: $0) }
    for course in courses { course.students = students }
    _ = try store.saved(courses)
    let (context, manager) = store.undoing()
    func state() throws -> [String] {
      let reader = store.context()
      return try reader.fetch(FetchDescriptor<Course>(sortBy: [SortDescriptor(\.title)]))
        .map { $0.title + $0.students.map(\.name).joined() }
        + reader.fetch(FetchDescriptor<Student>(sortBy: [SortDescriptor(\.name)]))
        .map { $0.name + $0.courses.map(\.title).joined() }
    }
    let before = try state()
    let first = try #require(
      try context.fetch(FetchDescriptor<Course>(predicate: #Predicate { $0.title == "x" })).first)
    first.students.swapAt(0, 2)
    first.students.removeLast()
    try context.save()
    let second = try state()
    try context.delete(model: Student.self, where: #Predicate { $0.name == "b" })
    try context.save()
    let third = try state()
    manager.undo()
    try context.save()
    #expect(try state() == second)
    manager.undo()
    try context.save()
    #expect(try state() == before)
    manager.redo()
    manager.redo()
    try context.save()
    #expect(try state() == third)
  }

  @Test(arguments: StoreLocation.allCases)
  func oneToOneAndToItselfAreUndone(_ place: StoreLocation) throws {
    let store = try store(place)
    let (ann, bob) = (Person(name: "ann"), Person(name: "bob"))
    let (one, two) = (Permit(number: "1"), Permit(number: "2"))
    ann.permit = one
    bob.permit = two
    let (root, leaf) = (Node(name: "root"), Node(name: "leaf"))
    leaf.parent = root
    let context = try store.saved([ann, bob, leaf])
    let manager = UndoManager()
    context.undoManager = manager
    ann.permit = two
    leaf.parent = leaf
    try context.save()
    context.delete(two)
    context.delete(root)
    try context.save()
    #expect(ann.permit == nil)
    manager.undo()
    #expect(ann.permit === two && two.holder === ann && bob.permit == nil && leaf.parent === leaf)
    manager.undo()
    #expect(ann.permit === one && bob.permit === two && one.holder === ann && two.holder === bob)
    #expect(leaf.parent === root && root.children == [leaf])
    try context.save()
    let people = try store.context().fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(people.map { $0.permit?.number } == ["1", "2"])
  }

  @Test(arguments: StoreLocation.allCases)
  func relationshipsThatNothingMirrorsAreUndone(_ place: StoreLocation) throws {
    let store = try store(place)
    let article = Article(title: "t")
    article.tags = ["a", "b", "c"].map { Tag(name: $0) }
    article.cover = Picture(path: "p")
    _ = try store.saved([article])
    let (context, manager) = store.undoing()
    // Nobody holds the article.
    try context.delete(model: Tag.self, where: #Predicate { $0.name == "b" })
    try context.delete(model: Picture.self)
    try context.save()
    func seen() throws -> String {
      let reader = store.context()
      let article = try #require(try reader.fetch(FetchDescriptor<Article>()).first)
      return article.tags.map(\.name).joined() + (article.cover?.path ?? "-")
    }
    #expect(try seen() == "ac-")
    manager.undo()
    try context.save()
    #expect(try seen() == "abcp")
    manager.redo()
    try context.save()
    #expect(try seen() == "ac-")
  }

  @Test(arguments: StoreLocation.allCases)
  func insertedGraphIsUndoneAndWhatItTookStays(_ place: StoreLocation) throws {
    let store = try store(place)
    try family(store, "ab")
    let (context, manager) = store.undoing()
    let old = try #require(try context.fetch(FetchDescriptor<Family>()).first)
    let new = Family(name: "new")
    new.members = [Member(name: "c"), old.members[0]]
    context.insert(new)
    try context.save()
    #expect(old.members.map(\.name) == ["b"])
    manager.undo()
    #expect(old.members.map(\.name) == ["a", "b"])
    try context.save()
    #expect(try names(store) == "ab")
    #expect(try fresh(store, Member.self).count == 2 && fresh(store, Family.self).count == 1)
    manager.redo()
    try context.save()
    let families = try store.context().fetch(FetchDescriptor<Family>(sortBy: [SortDescriptor(\.name)]))
    #expect(families.map { $0.members.map(\.name).joined() } == ["b", "ca"])
  }

  @Test(arguments: StoreLocation.allCases)
  func objectsOfAHierarchyComeBackAsWhatTheyAre(_ place: StoreLocation) throws {
    let store = try TestStore(
      place, Exhibit.self, Statue.self, Bronze.self, Hall.self, Plaque.self, Pedestal.self, Sculptor.self, Tour.self)
    let hall = Hall("h")
    let bronze = Bronze(1, scan: Data([1, 2]))
    bronze.picture = Data([7])
    bronze.paint = Paint("red")
    bronze.alloy = "zinc"
    bronze.pedestal = Pedestal(weight: 4)
    bronze.sculptor = Sculptor("s")
    hall.exhibits = [Exhibit(2), bronze, Statue(3, scan: Data([3]))]
    let tour = Tour("t")
    tour.stops = [bronze, hall.exhibits[0]]
    _ = try store.saved([hall, tour, Plaque("p", of: bronze)])
    let (context, manager) = store.undoing()
    let before = try store.rows("SELECT * FROM Exhibit").map { $0.dropFirst(2) }
    let statue = try #require(
      try context.fetch(FetchDescriptor<Statue>(predicate: #Predicate { $0.number == 1 })).first)
    statue.height = 9
    (statue as? Bronze)?.alloy = "lead"
    statue.sculptor = nil
    context.processPendingChanges()
    try context.delete(model: Plaque.self)
    context.delete(try #require(try context.fetch(FetchDescriptor<Hall>()).first))
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Exhibit") == .integer(0))
    manager.undo()
    manager.undo()
    try context.save()
    #expect(try store.rows("SELECT * FROM Exhibit").map { $0.dropFirst(2) } == before)
    let reader = store.context()
    let back = try #require(try reader.fetch(FetchDescriptor<Bronze>()).first)
    #expect(
      back.picture == Data([7]) && back.scan == Data([1, 2]) && back.paint?.name == "red" && back.alloy == "zinc")
    #expect(back.pedestal?.weight == 4 && back.sculptor?.name == "s" && back.label?.text == "p")
    #expect(back.hall?.exhibits.map(\.number) == [2, 1, 3] && back.tours.first?.stops.map(\.number) == [1, 2])
  }

  @Test(arguments: StoreLocation.allCases)
  func requiredToOneComesBackWithItsTarget(_ place: StoreLocation) throws {
    let store = try store(place)
    let library = Library(name: "l")
    let shelf = Shelf(place: 1, library: library)
    let context = try store.saved([shelf])
    let manager = UndoManager()
    context.undoManager = manager
    context.delete(shelf)
    context.delete(library)
    try context.save()
    manager.undo()
    #expect(shelf.library === library && library.shelves == [shelf])
    try context.save()
    #expect(try fresh(store, Shelf.self).first?.library.name == "l")
  }
}
