import Foundation
import LarderData
import Testing

/// A deletion that is taken back by an insert, after it was carried to related objects.
@Suite struct DeletionRecallTests {
  private func saved(_ store: TestStore, _ models: [any PersistentModel]) throws -> ModelContext {
    let context = store.context()
    for model in models { context.insert(model) }
    try context.save()
    return context
  }

  @Test(arguments: Place.allCases)
  func memberStandsInItsListAgain(_ place: Place) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let family = Family(name: "Doe")
    family.members = ["a", "b"].map { Member(name: $0) }
    let context = try saved(store, [family])
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

  @Test(arguments: Place.allCases)
  func cascadeIsTakenBackWhetherItsObjectsAreLoadedOrNot(_ place: Place) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let family = Family(name: "Doe")
    family.members = ["a", "b"].map { Member(name: $0) }
    _ = try saved(store, [family])
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

  @Test(arguments: Place.allCases)
  func manyToManyIsJoinedAgainAtBothEnds(_ place: Place) throws {
    let store = try TestStore(place, Course.self, Student.self)
    let (course, student) = (Course(title: "c"), Student(name: "s"))
    course.students = [student]
    let context = try saved(store, [course])
    context.delete(student)
    #expect(course.students.isEmpty)
    context.insert(student)
    #expect(course.students == [student])
    #expect(student.courses == [course])
    try context.save()
    let read = try store.context().fetch(FetchDescriptor<Course>())
    #expect(read.first?.students.map(\.name) == ["s"])
  }

  @Test(arguments: Place.allCases)
  func keysThatWereTakenOutAreBack(_ place: Place) throws {
    let store = try TestStore(place, Library.self, Node.self, Person.self)
    let (root, leaf) = (Node(name: "root"), Node(name: "leaf"))
    leaf.parent = root
    let (person, permit) = (Person(name: "p"), Permit(number: "1"))
    person.permit = permit
    let context = try saved(store, [leaf, person])
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

  @Test(arguments: Place.allCases)
  func whatAnotherTookMeanwhileStaysTheOthers(_ place: Place) throws {
    let store = try TestStore(place, Person.self)
    let (person, permit) = (Person(name: "p"), Permit(number: "1"))
    person.permit = permit
    let context = try saved(store, [person])
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

  @Test(arguments: Place.allCases)
  func objectWhoseOwnerStaysDeletedHasNone(_ place: Place) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let family = Family(name: "Doe")
    family.members = [Member(name: "a")]
    let context = try saved(store, [family])
    let member = family.members[0]
    context.delete(family)
    _ = try context.fetchCount(FetchDescriptor<Member>())
    context.insert(member)
    #expect(member.family == nil)
    try context.save()
    #expect(try store.rows("SELECT name, family FROM Member") == [[.text("a"), .null]])
  }
}
