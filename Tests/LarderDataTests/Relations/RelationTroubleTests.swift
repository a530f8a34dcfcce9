import Foundation
import LarderData
import Testing

/// What others do to rows that are related to what is done here.
@Suite struct RelationConflictTests {
  @Test(arguments: StoreLocation.allCases)
  func referenceToARowThatAnotherDeletedIsNamed(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let context = store.context()
    let (family, other) = (Family(name: "gone"), Family(name: "there"))
    let member = Member(name: "m")
    for model in [family, other] { context.insert(model) }
    context.insert(member)
    try context.save()

    let stranger = store.context()
    stranger.delete(try stranger.existingModel(for: family.persistentModelID, as: Family.self))
    try stranger.save()
    member.family = family
    let error = #expect(throws: SaveError.self) { try context.save() }
    #expect(error?.code == .referencedRowDeleted)
    #expect(error?.entityName == "Member")
    #expect(error?.properties == ["family"])
    #expect(error?.identifiers == [member.persistentModelID, family.persistentModelID])
    #expect(context.hasChanges)
    member.family = other
    try context.save()
    let fresh = try store.context().fetch(FetchDescriptor<Member>())
    #expect(fresh.map { $0.family?.name } == ["there"])
  }

  @Test(.directly("it changes the rows past the store")) func pairWithARowThatAnotherDeletedIsNamed() throws {
    let store = try TestStore(.memory, Course.self, Student.self)
    let context = store.context()
    let course = Course(title: "c")
    let student = Student(name: "s")
    context.insert(course)
    context.insert(student)
    try context.save()
    try store.execute("DELETE FROM Student")
    course.students = [student]
    let error = #expect(throws: SaveError.self) { try context.save() }
    #expect(error?.code == .referencedRowDeleted)
    #expect(Set(error?.identifiers ?? []) == [course.persistentModelID, student.persistentModelID])
    course.students = []
    try context.save()
  }

  @Test(arguments: StoreLocation.allCases)
  func childThatAnotherAddsGoesWithItsParent(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let context = store.context()
    let family = Family(name: "doomed")
    family.members = [Member(name: "a")]
    context.insert(family)
    try context.save()
    context.delete(family)
    #expect(try context.fetchCount(FetchDescriptor<Member>()) == 0)

    let stranger = store.context()
    let theirs = try stranger.existingModel(for: family.persistentModelID, as: Family.self)
    theirs.members.append(Member(name: "late"))
    try stranger.save()
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Member>()) == 0)
    #expect(try store.context().fetchCount(FetchDescriptor<Family>()) == 0)
  }

  @Test func childThatAnotherAddsSpeaksAgainstADeletionThatItsRuleDenies() throws {
    let store = try TestStore(.memory, Library.self, Book.self, Shelf.self)
    let context = store.context()
    let library = Library(name: "City")
    context.insert(library)
    try context.save()
    context.delete(library)
    #expect(try context.fetchCount(FetchDescriptor<Library>()) == 0)
    let stranger = store.context()
    try stranger.existingModel(for: library.persistentModelID, as: Library.self).books.append(Book(title: "late"))
    try stranger.save()
    #expect { try context.save() } throws: { ($0 as? SaveError)?.code == .deletionDenied }
    context.rollback()
    #expect(library.books.map(\.title) == ["late"])
  }

  @Test func keyThatAnotherMovedIsNoticedByTheOneThatHasNone() throws {
    let store = try TestStore(.memory, Person.self, Permit.self)
    let context = store.context()
    let people = ["a", "b"].map { Person(name: $0) }
    let permit = Permit(number: "1")
    people[0].permit = permit
    people.forEach(context.insert)
    try context.save()
    #expect(people[0].permit === permit)
    let stranger = store.context()
    let theirs = try stranger.existingModel(for: people[1].persistentModelID, as: Person.self)
    theirs.permit = try stranger.existingModel(for: permit.persistentModelID, as: Permit.self)
    try stranger.save()
    _ = try context.fetch(FetchDescriptor<Permit>())
    _ = try context.fetch(FetchDescriptor<Person>())
    #expect(people[0].permit == nil)
    #expect(people[1].permit === permit)
    #expect(permit.holder === people[1])
  }
}

/// Saves that are refused, and objects that cannot be related.
@Suite struct RelationRefusalTests {
  @Test func saveThatFailsLeavesRelationshipsPending() throws {
    let store = try TestStore(.memory, Account.self, Region.self, Entry.self, Tag.self)
    let context = store.context()
    let account = Account("1")
    let other = Account("2")
    let region = Region("north")
    context.insert(account)
    context.insert(other)
    try context.save()
    let entry = Entry("e", amount: .nan)
    account.entries = [entry]
    account.region = region
    account.labels = [Tag(name: "t")]
    other.region = region
    #expect { try context.save() } throws: { ($0 as? SaveError)?.code == .unstorableValue }
    entry.amount = 1
    other.code = "1"
    #expect { try context.save() } throws: { ($0 as? SaveError)?.code == .uniquenessConflict }
    #expect(region.accounts == [account, other])
    #expect(account.entries == [entry])
    other.code = "2"
    try context.save()
    let fresh = store.context()
    let found = try #require(try fresh.fetch(FetchDescriptor<Region>()).first)
    #expect(found.accounts.map(\.code) == ["1", "2"])
    #expect(found.accounts[0].entries.map(\.text) == ["e"])
    #expect(found.accounts[0].labels.map(\.name) == ["t"])
  }

  @Test func objectOfAnotherContextIsRefused() throws {
    let store = try TestStore(.memory, Family.self, Member.self)
    let (context, stranger) = (store.context(), store.context())
    let theirs = Member(name: "theirs")
    stranger.insert(theirs)
    try stranger.save()
    let family = Family(name: "f")
    context.insert(family)
    family.members = [Member(name: "ours"), theirs]
    #expect(family.members.map(\.name) == ["ours"])
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.pendingError = nil
    try context.save()
    #expect(theirs.family == nil)
  }

  @Test func deletedObjectIsRefused() throws {
    let store = try TestStore(.memory, Family.self, Member.self, Library.self, Book.self, Shelf.self)
    let context = store.context()
    let family = Family(name: "f")
    let member = Member(name: "m")
    context.insert(family)
    context.insert(member)
    try context.save()
    context.delete(family)
    member.family = family
    #expect(member.family == nil)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.pendingError = nil
    try context.save()
    member.family = family
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    #expect(try store.context().fetch(FetchDescriptor<Member>()).map { $0.family?.name } == [nil])
  }

  /// It reads as what it was given, so that nothing traps, and is not saved.
  @Test func toOneThatMustNotBeNilKeepsWhatItCannotHave() throws {
    let store = try TestStore(.memory, Library.self, Book.self, Shelf.self)
    let context = store.context()
    let library = Library(name: "old")
    context.insert(library)
    let shelf = Shelf(place: 1, library: library)
    context.insert(shelf)
    try context.save()
    library.shelves = []
    #expect(shelf.library === library)
    #expect { try context.save() } throws: { ($0 as? SaveError)?.code == .unstorableValue }
    library.shelves = [shelf]
    try context.save()
    library.shelves.removeAll()
    context.delete(shelf)
    try context.save()

    context.delete(library)
    let late = Shelf(place: 2, library: library)
    context.insert(late)
    #expect(late.library.name == "old")
    context.pendingError = nil
    #expect { try context.save() } throws: { ($0 as? SaveError)?.code == .unstorableValue }
    context.rollback()
    #expect(late.library.name == "old")
    #expect(late.modelContext == nil)
  }

  @Test func deletionOfAnObjectThatWasNeverSavedFollowsTheRules() throws {
    let store = try TestStore(.memory, Library.self, Book.self, Shelf.self, Family.self, Member.self)
    let context = store.context()
    let family = Family(name: "f")
    family.members = [Member(name: "a"), Member(name: "b")]
    context.insert(family)
    context.delete(family)
    #expect(!context.hasChanges)
    #expect(family.modelContext == nil)

    let library = Library(name: "l")
    let shelf = Shelf(place: 1, library: library)
    context.insert(shelf)
    context.delete(library)
    #expect(shelf.library.name == "l")
    #expect { try context.save() } throws: { ($0 as? SaveError)?.code == .deletionDenied }
    shelf.library = Library(name: "other")
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Shelf>()).map(\.library.name) == ["other"])
    #expect(try store.context().fetchCount(FetchDescriptor<Library>()) == 1)
  }

  @Test func sameObjectTwiceIsThereOnce() throws {
    let store = try TestStore(.memory, Family.self, Member.self, Course.self, Student.self)
    let context = store.context()
    let family = Family(name: "f")
    let (a, b) = (Member(name: "a"), Member(name: "b"))
    family.members = [a, b, a]
    context.insert(family)
    #expect(family.members == [a, b])
    family.members.append(a)
    #expect(family.members == [a, b])
    let course = Course(title: "c")
    let student = Student(name: "s")
    course.students = [student, student]
    context.insert(course)
    student.courses.append(course)
    try context.save()
    #expect(course.students == [student])
    #expect(student.courses == [course])
  }

  @Test func relationshipsSetInWillSaveAreSaved() throws {
    let store = try TestStore(.memory, Family.self, Member.self)
    let context = store.context()
    let family = Family(name: "f")
    context.insert(family)
    let (name, box) = (ModelContext.willSave, Unchecked(family))
    let token = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in
      if box.value.members.isEmpty { box.value.members = [Member(name: "from the observer")] }
    }
    try context.save()
    NotificationCenter.default.removeObserver(token)
    #expect(try store.context().fetch(FetchDescriptor<Member>()).map { $0.family?.name } == ["f"])
  }

  /// Posted on the thread that saves.
  private final class Unchecked: @unchecked Sendable {
    let value: Family
    init(_ value: Family) { self.value = value }
  }
}
