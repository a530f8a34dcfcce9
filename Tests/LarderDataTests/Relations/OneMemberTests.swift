import Foundation
import LarderData
import LarderSQLite
import Testing

/// One member enters a list in memory, or leaves it, at any place.
@Suite struct OneMemberTests {
  private static let places = [0, 1, 2, 20, 39, 40]

  private func family(_ container: ModelContainer) throws -> (ModelContext, Family) {
    let context = ModelContext(container)
    let family = Family(name: "f")
    family.members = (0..<40).map { Member(name: "\($0)") }
    context.insert(family)
    try context.save()
    return (context, family)
  }

  private func storedNames(_ container: ModelContainer) throws -> [String] {
    let found = try ModelContext(container).fetch(FetchDescriptor<Family>(predicate: #Predicate { $0.name == "f" }))
    return found.flatMap { $0.members.map(\.name) }
  }

  @Test(arguments: places) func entersWhereItIsPut(place: Int) throws {
    let container = try relationContainer()
    let (context, family) = try family(container)
    let member = Member(name: "new")
    family.members.insert(member, at: place)
    var names = (0..<40).map(String.init)
    names.insert("new", at: place)
    #expect(member.family === family)
    #expect(family.members.map(\.name) == names)
    try context.save()
    #expect(try storedNames(container) == names)
  }

  @Test(arguments: places.dropLast()) func leavesAndIsNobodys(place: Int) throws {
    let container = try relationContainer()
    let (context, family) = try family(container)
    let member = family.members.remove(at: place)
    var names = (0..<40).map(String.init)
    names.remove(at: place)
    #expect(member.family == nil)
    #expect(family.members.map(\.name) == names)
    try context.save()
    #expect(try storedNames(container) == names)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Member>()) == 40)
  }

  @Test(arguments: places.dropLast()) func isBackAfterARollback(place: Int) throws {
    let (context, family) = try family(relationContainer())
    let member = family.members.remove(at: place)
    family.members.insert(Member(name: "new"), at: place)
    context.rollback()
    #expect(family.members.map(\.name) == (0..<40).map(String.init))
    #expect(member.family === family)
    #expect(!context.hasChanges)
  }

  @Test(arguments: places.dropLast()) func bothListsOfAPairOfListsAreInStep(place: Int) throws {
    let container = try relationContainer()
    let context = ModelContext(container)
    let course = Course(title: "c")
    course.students = (0..<40).map { Student(name: "\($0)") }
    context.insert(course)
    try context.save()
    let gone = course.students.remove(at: place)
    let new = Student(name: "new")
    course.students.insert(new, at: place)
    #expect(gone.courses.isEmpty)
    #expect(new.courses == [course])
    var names = (0..<40).map(String.init)
    names[place] = "new"
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Course>())
    #expect(found.flatMap { $0.students.map(\.name) } == names)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Student>()) == 41)
  }

  @Test func oneThatIsInTheListAlreadyEntersOnce() throws {
    let (context, family) = try family(relationContainer())
    let member = family.members[20]
    for place in [0, 20, 40] {
      family.members.insert(member, at: place)
      #expect(family.members.count == 40)
      #expect(member.family === family)
    }
    try context.save()
    #expect(Set(family.members.map(\.name)).count == 40)
    let course = Course(title: "c")
    context.insert(course)
    course.students = (0..<40).map { Student(name: "\($0)") }
    let student = course.students[20]
    for place in [0, 20, 40] {
      course.students.insert(student, at: place)
      #expect(course.students.count == 40)
      #expect(student.courses == [course])
    }
  }

  @Test func oneOfAnotherListLeavesIt() throws {
    let (context, family) = try family(relationContainer())
    let other = Family(name: "other")
    context.insert(other)
    other.members = [Member(name: "a"), Member(name: "b"), Member(name: "c")]
    family.members.insert(other.members[1], at: 5)
    #expect(other.members.map(\.name) == ["a", "c"])
    #expect(family.members[5].name == "b")
    #expect(family.members[5].family === family)
  }
}
