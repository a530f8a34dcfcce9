import Foundation
import LarderData
import SwiftData
import Testing

/// Pairs that are pending while others save one of their ends.
@Suite struct EditedMeanwhileTests {
  @Test(arguments: StoreLocation.allCases, [false, true])
  func whatWasAddedBeforeTheDeletionIsRelatedAgain(_ place: StoreLocation, _ byPredicate: Bool) throws {
    let store = try TestStore(place, Course.self, Student.self)
    let context = store.context()
    let (course, student) = (Course(title: "a"), Student(name: "b"))
    context.insert(course)
    context.insert(student)
    try context.save()
    course.students = [student]
    if byPredicate { try context.delete(model: Course.self) } else { context.delete(course) }

    let other = store.context()
    for student in try other.fetch(FetchDescriptor<Student>()) { student.name = "c" }
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Course>())
    context.insert(course)
    #expect(course.students == [student] && student.courses == [course])
    try context.save()
    let reader = store.context()
    #expect(try reader.fetch(FetchDescriptor<Course>()).map { $0.students.map(\.name) } == [["c"]])
    #expect(try reader.fetch(FetchDescriptor<Student>()).map { $0.courses.map(\.title) } == [["a"]])
  }

  /// Nobody knows what others have put into it, or taken out, since it was set.
  @Test(arguments: StoreLocation.allCases)
  func listThatWasSetWithoutHavingBeenReadStaysAsItWasSet(_ place: StoreLocation) throws {
    let store = try TestStore(place, Course.self, Student.self)
    let writer = try store.saved([Course(title: "a"), Student(name: "b")])
    let context = store.context()
    let course = try #require(try context.fetch(FetchDescriptor<Course>()).first)
    let student = try #require(try context.fetch(FetchDescriptor<Student>()).first)
    course.students = [student]
    for student in try writer.fetch(FetchDescriptor<Student>()) { student.name = "c" }
    try writer.save()
    _ = try context.fetchCount(FetchDescriptor<Course>())
    #expect(course.students == [student] && student.courses == [course])
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Course>()).map { $0.students.map(\.name) } == [["c"]])
  }
}
