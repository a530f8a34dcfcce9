import Foundation
import LarderData
import SwiftData
import Testing

/// What a context changed is undone although others have saved meanwhile.
@Suite struct UndoMeanwhileTests {
  @Test(arguments: StoreLocation.allCases)
  func whatOthersSavedOfOtherPropertiesStays(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let crate = Crate(number: 1, text: "one")
    let context = try store.saved([crate])
    context.undoManager = UndoManager()
    crate.number = 2
    try context.save()
    let other = store.context()
    let same = try #require(try other.fetch(FetchDescriptor<Crate>()).first)
    same.text = "theirs"
    same.note = "note"
    try other.save()
    context.undoManager?.undo()
    try context.save()
    #expect(
      try store.rows("SELECT number, text, note FROM Crate") == [[.integer(1), .text("theirs"), .text("note")]])
  }

  @Test(arguments: StoreLocation.allCases)
  func whatOthersSavedOfADeletedObjectComesBackWithIt(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let crate = Crate(number: 1, text: "one")
    let context = try store.saved([crate])
    let manager = UndoManager()
    context.undoManager = manager
    func edit(_ text: String) throws {
      let other = store.context()
      try #require(try other.fetch(FetchDescriptor<Crate>()).first).text = text
      try other.save()
    }
    try edit("before")
    context.delete(crate)
    context.processPendingChanges()
    try edit("meanwhile")
    manager.undo()
    try context.save()
    #expect(try store.rows("SELECT number, text FROM Crate") == [[.integer(1), .text("meanwhile")]])
    try edit("again")
    context.delete(crate)
    try context.save()
    manager.undo()
    try context.save()
    #expect(try store.rows("SELECT number, text FROM Crate") == [[.integer(1), .text("again")]])
  }

  /// What they put into a list that is pending changes it, and is no step of this context.
  @Test(arguments: StoreLocation.allCases)
  func othersDoNotEndWhatCanBeRedone(_ place: StoreLocation) throws {
    let store = try TestStore(place, Course.self, Student.self)
    let (course, student) = (Course(title: "a"), Student(name: "b"))
    course.students = [student]
    let context = try store.saved([course, student])
    let manager = UndoManager()
    context.undoManager = manager
    course.students = []
    try context.save()
    manager.undo()
    let other = store.context()
    let third = Student(name: "c")
    other.insert(third)
    try other.fetch(FetchDescriptor<Course>()).first?.students.append(third)
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Course>())
    #expect(Set(course.students.map(\.name)) == ["b", "c"])
    context.processPendingChanges()
    #expect(manager.canRedo)
    manager.redo()
    #expect(course.students.map(\.name) == ["c"])
  }

  @Test(arguments: StoreLocation.allCases)
  func whatOthersDeletedStaysAway(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self, Library.self, Book.self, Shelf.self)
    let family = Family(name: "f")
    family.members = ["a", "b", "c"].map { Member(name: $0) }
    let library = Library(name: "l")
    let shelf = Shelf(place: 1, library: library)
    let context = try store.saved([family, shelf])
    let manager = UndoManager()
    context.undoManager = manager
    let members = family.members
    for member in members { member.family = nil }
    context.delete(members[2])
    context.delete(shelf)
    try context.save()
    let other = store.context()
    try other.delete(model: Member.self, where: #Predicate { $0.name == "a" })
    try other.delete(model: Library.self)
    try other.save()
    manager.undo()
    #expect(family.members.map(\.name) == ["b", "c"])
    // What must refer to something that is gone stays away, too.
    #expect(shelf.modelContext == nil)
    try context.save()
    #expect(try store.rows("SELECT name FROM Member ORDER BY name") == [[.text("b")], [.text("c")]])
    #expect(try store.value("SELECT count(*) FROM Shelf") == .integer(0))
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)

    // The owner is gone as well.
    try other.delete(model: Family.self)
    try other.save()
    manager.redo()
    manager.undo()
    try context.save()
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func listsKeepWhatOthersAdded(_ place: StoreLocation) throws {
    let store = try TestStore(place, Course.self, Student.self)
    let course = Course(title: "x")
    course.students = ["a", "b"].map { Student(name: $0) }
    let context = try store.saved([course])
    context.undoManager = UndoManager()
    course.students.removeFirst()
    try context.save()
    let other = store.context()
    try #require(try other.fetch(FetchDescriptor<Course>()).first).students.append(Student(name: "z"))
    try other.save()
    context.undoManager?.undo()
    #expect(course.students.map(\.name) == ["a", "b", "z"])
    try context.save()
    let reader = store.context()
    #expect(try reader.fetch(FetchDescriptor<Course>()).first?.students.map(\.name) == ["a", "b", "z"])
  }

  @Test(arguments: StoreLocation.allCases)
  func twoContextsShareAnUndoManager(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let crate = Crate(number: 1)
    let first = try store.saved([crate])
    let second = store.context()
    let manager = UndoManager()
    first.undoManager = manager
    second.undoManager = manager
    crate.number = 2
    try first.save()
    let other = Crate(number: 9)
    second.insert(other)
    try second.save()
    crate.number = 3
    try first.save()
    manager.undo()
    manager.undo()
    #expect(crate.number == 2 && other.isDeleted)
    try second.save()
    // Only what was registered by the one is forgotten with its rollback.
    second.rollback()
    #expect(manager.canUndo && manager.canRedo)
    manager.redo()
    #expect(crate.number == 3)
    manager.undo()
    manager.undo()
    #expect(crate.number == 1 && !manager.canUndo)
    try first.save()
    #expect(try store.rows("SELECT number FROM Crate") == [[.integer(1)]])
  }
}
