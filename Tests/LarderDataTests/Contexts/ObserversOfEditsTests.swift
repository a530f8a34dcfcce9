import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Observers are told of an edit before it is made. Whatever they do with the context then, what the edit leaves is whole.
@Suite(.serialized) struct ObserversOfEditsTests: BreakingAgain {
  enum Doing: CaseIterable { case rollback, save, delete, setTheSame, setAnother }

  // MARK: Attributes

  @Test(arguments: StoreLocation.allCases, Doing.allCases)
  func observerOfAnEditBesideTheRow(_ place: StoreLocation, _ doing: Doing) throws {
    let store = try TestStore(place, Photo.self)
    _ = try store.saved([Photo(title: "0", image: Data([1]))])
    let context = store.context()
    let photo = try #require(try all(context, Photo.self).first)
    // Something for it to take back, or to save.
    photo.size = 7
    whenChanged(photo.image) { use(context, doing, photo, { photo.image = Data([5]) }, { photo.text = "seen" }) }
    photo.image = Data([9])
    #expect(photo.image == Data([9]))
    #expect(context.hasChanges)
    #expect(photo.hasChanges && photo.isDeleted == (doing == .delete))
    context.rollback()
    #expect(!context.hasChanges)
    #expect(photo.image == Data([1]), "nothing that is neither pending nor stored")
    #expect(photo.text == nil)
    #expect(photo.size == (doing == .save ? 7 : 1))
    photo.image = Data([8])
    try context.save()
    #expect(try store.rows("SELECT value FROM larder_external_Photo_image") == [[.blob([8])]])
  }

  @Test(arguments: StoreLocation.allCases, Doing.allCases)
  func observerOfAnEphemeralEdit(_ place: StoreLocation, _ doing: Doing) throws {
    let store = try TestStore(place, Song.self)
    _ = try store.saved([Song(title: "s")])
    let context = store.context()
    let song = try #require(try all(context, Song.self).first)
    song.plays = 7
    whenChanged(song.position) { use(context, doing, song, { song.position = 5 }, { song.isPlaying = true }) }
    song.position = 9
    #expect(song.position == 9 && context.hasChanges)
    context.rollback()
    #expect(song.position == nil && !song.isPlaying && !context.hasChanges)
    #expect(song.plays == (doing == .save ? 7 : 0))
  }

  @Test(arguments: StoreLocation.allCases, Doing.allCases)
  func observerOfAnEditInTheRow(_ place: StoreLocation, _ doing: Doing) throws {
    let store = try TestStore(place, Crate.self)
    _ = try store.saved([Crate(number: 0, text: "old")])
    let context = store.context()
    let crate = try #require(try all(context, Crate.self).first)
    crate.number = 7
    whenChanged(crate.text) { use(context, doing, crate, { crate.text = "inner" }, { crate.note = "seen" }) }
    crate.text = "new"
    #expect(crate.text == "new" && context.hasChanges)
    let number = Int64(doing == .save ? 7 : 0)
    context.rollback()
    #expect(crate.text == "old" && crate.note == nil && crate.number == Int(number) && !context.hasChanges)
    crate.text = "last"
    try context.save()
    #expect(try store.rows("SELECT number, text, note FROM Crate") == [[.integer(number), .text("last"), .null]])
  }

  // The suite runs one test at a time.
  nonisolated(unsafe) private static var isBusy = false
  private var isInside: Bool {
    get { Self.isBusy }
    nonmutating set { Self.isBusy = newValue }
  }

  private func use(
    _ context: ModelContext, _ doing: Doing, _ model: any PersistentModel, _ setTheSame: () -> Void,
    _ setAnother: () -> Void
  ) {
    // The runtime asks an observer again until it has returned.
    if isInside { return }
    isInside = true
    defer { isInside = false }
    switch doing {
    case .rollback: context.rollback()
    case .save: #expect(throws: Never.self) { try context.save() }
    case .delete: context.delete(model)
    case .setTheSame: setTheSame()
    case .setAnother: setAnother()
    }
  }

  // MARK: Relationships

  enum Change: CaseIterable {
    case toOne, toNobody, append, remove, replace, linkAppend, linkRemove, oneToOne
  }

  enum Ending: CaseIterable { case save, rollback }

  /// Each of the ends that a change concerns is observed, one after the other.
  @Test(arguments: Change.allCases, Doing.allCases)
  func observerOfARelationshipLeavesBothEndsInStep(_ change: Change, _ doing: Doing) throws {
    for end in 0..<4 {
      for ending in Ending.allCases { try check(change, doing, end, ending) }
    }
  }

  private func check(_ change: Change, _ doing: Doing, _ end: Int, _ ending: Ending) throws {
    let world = try World()
    let context = world.context
    let what: Comment = "\(change), \(doing) at end \(end), then \(ending)"
    // Something for it to take back, or to save, at the same ends.
    world.members[1].family = world.families[1]
    world.courses[0].students.append(world.students[1])
    world.people[0].name = "p0, edited"
    guard
      world.observe(change, end, { use(context, doing, world.subject(of: change), {}, { world.alsoChange(change) }) })
    else { return }
    defer { world.observer = nil }
    world.make(change)
    world.isMade = true
    #expect(world.problems() == [], what)
    switch ending {
    case .save: #expect(throws: Never.self, what) { try context.save() }
    case .rollback: context.rollback()
    }
    #expect(!context.hasChanges, what)
    #expect(world.problems() == [], what)
    let fresh = try World(reading: world.store)
    #expect(fresh.problems() == [], what)
    #expect(world.text() == fresh.text(), what)
    try check(world.store)
  }
}

/// Objects with relationships of each kind, and what is the matter with them.
private final class World {
  let store: TestStore
  let context: ModelContext
  let families: [Family]
  let members: [Member]
  let courses: [Course]
  let students: [Student]
  let people: [Person]
  let permits: [Permit]
  /// What is done when somebody is told of a change.
  var observer: (() -> Void)?
  /// Whoever is told from here on is told of what follows, such as a rollback, and does nothing.
  var isMade = false

  convenience init() throws {
    let store = try TestStore(
      .memory, Family.self, Member.self, Course.self, Student.self, Person.self, Permit.self)
    let context = store.context()
    for name in ["F", "G"] { context.insert(Family(name: name)) }
    for name in ["C", "D"] { context.insert(Course(title: name)) }
    try context.save()
    let families = try context.fetch(FetchDescriptor<Family>(sortBy: [SortDescriptor(\.name)]))
    let courses = try context.fetch(FetchDescriptor<Course>(sortBy: [SortDescriptor(\.title)]))
    for number in 0..<3 {
      families[0].members.append(Member(name: "m\(number)"))
      context.insert(Student(name: "s\(number)"))
      let person = Person(name: "p\(number)")
      context.insert(person)
      person.permit = Permit(number: "q\(number)")
    }
    try context.save()
    courses[0].students = try context.fetch(FetchDescriptor<Student>(predicate: #Predicate { $0.name == "s0" }))
    try context.save()
    try self.init(reading: store)
  }

  init(reading store: TestStore) throws {
    self.store = store
    context = store.context()
    families = try context.fetch(FetchDescriptor<Family>(sortBy: [SortDescriptor(\.name)]))
    members = try context.fetch(FetchDescriptor<Member>(sortBy: [SortDescriptor(\.name)]))
    courses = try context.fetch(FetchDescriptor<Course>(sortBy: [SortDescriptor(\.title)]))
    students = try context.fetch(FetchDescriptor<Student>(sortBy: [SortDescriptor(\.name)]))
    people = try context.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)]))
    permits = try context.fetch(FetchDescriptor<Permit>(sortBy: [SortDescriptor(\.number)]))
  }

  typealias Change = ObserversOfEditsTests.Change

  func subject(of change: Change) -> any PersistentModel {
    switch change {
    case .toOne, .toNobody, .append, .remove, .replace: members[0]
    case .linkAppend: students[2]
    case .linkRemove: students[0]
    case .oneToOne: people[0]
    }
  }

  func make(_ change: Change) {
    switch change {
    case .toOne: members[0].family = families[1]
    case .toNobody: members[0].family = nil
    case .append: families[1].members.append(members[0])
    case .remove: families[0].members.removeAll { $0 === members[0] }
    case .replace: families[1].members = [members[2], members[0]]
    case .linkAppend: courses[0].students.append(students[2])
    case .linkRemove: courses[0].students.removeAll { $0 === students[0] }
    case .oneToOne: people[0].permit = permits[1]
    }
  }

  /// Something else at the same ends.
  func alsoChange(_ change: Change) {
    switch change {
    case .toOne, .toNobody, .append, .remove, .replace: families[0].members.append(members[1])
    case .linkAppend, .linkRemove: courses[1].students.append(students[0])
    case .oneToOne: people[2].permit = permits[0]
    }
  }

  /// - Returns: False where a change has no such end.
  func observe(_ change: Change, _ end: Int, _ body: @escaping () -> Void) -> Bool {
    // Asked again until it has returned, by the runtime.
    var isInside = false
    func once() {
      if isInside || isMade { return }
      isInside = true
      body()
    }
    func observe<T>(_ reads: [() -> T]) -> Bool {
      guard reads.indices.contains(end) else { return false }
      observer = once
      // One that is never told stays with what it observes.
      nonisolated(unsafe) weak let world = self
      withObservationTracking {
        _ = reads[end]()
      } onChange: {
        world?.observer?()
      }
      return true
    }
    let (members, families, courses, students, people, permits) =
      (members, families, courses, students, people, permits)
    return switch change {
    case .toOne, .toNobody, .append, .remove, .replace:
      observe([
        { _ = members[0].family }, { _ = families[0].members }, { _ = families[1].members },
        { _ = members[2].family },
      ])
    case .linkAppend:
      observe([{ _ = courses[0].students }, { _ = students[2].courses }])
    case .linkRemove:
      observe([{ _ = courses[0].students }, { _ = students[0].courses }])
    case .oneToOne:
      observe([
        { _ = people[0].permit }, { _ = permits[0].holder }, { _ = permits[1].holder }, { _ = people[1].permit },
      ])
    }
  }

  /// Where the two ends of something do not agree.
  func problems() -> [String] {
    var problems: [String] = []
    func check(_ one: Bool, _ other: Bool, _ what: String) { if one != other { problems.append(what) } }
    let gone: (any PersistentModel) -> Bool = { $0.modelContext == nil || $0.isDeleted }
    for member in members where !gone(member) {
      for family in families where !gone(family) {
        check(
          member.family === family, family.members.contains { $0 === member }, "\(member.name) in \(family.name)")
      }
    }
    for family in families where !gone(family) {
      if Set(family.members.map(\.persistentModelID)).count != family.members.count { problems.append("twice") }
      if family.members.contains(where: gone) { problems.append("a deleted one in \(family.name)") }
    }
    for student in students where !gone(student) {
      for course in courses where !gone(course) {
        check(
          student.courses.contains { $0 === course }, course.students.contains { $0 === student },
          "\(student.name) in \(course.title)")
      }
    }
    for person in people where !gone(person) {
      for permit in permits where !gone(permit) {
        check(person.permit === permit, permit.holder === person, "\(person.name) with \(permit.number)")
      }
    }
    return problems
  }

  func text() -> String {
    var lines: [String] = []
    for member in members where member.modelContext != nil {
      lines.append("\(member.name) \(member.family?.name ?? "")")
    }
    for family in families { lines.append("\(family.name): \(family.members.map(\.name))") }
    for course in courses { lines.append("\(course.title): \(course.students.map(\.name))") }
    for person in people where person.modelContext != nil {
      lines.append("\(person.name) \(person.permit?.number ?? "")")
    }
    return lines.joined(separator: "\n")
  }
}
