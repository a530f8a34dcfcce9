import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// What others save reaches the objects in hand.
@Suite(.timeLimit(.minutes(20))) struct MergingTests {
  private func crates(_ count: Int, _ place: StoreLocation) throws -> (TestStore, ModelContext) {
    let store = try TestStore(place, Crate.self, Sensor.self, Family.self, Member.self, Course.self, Student.self)
    return (store, try store.saved((0..<count).map { Crate(number: $0, text: "old") }))
  }

  private func edit(_ store: TestStore, _ body: (Crate) -> Void) throws {
    let writer = store.context()
    for crate in try writer.all(Crate.self) { body(crate) }
    try writer.save()
  }

  @Test(arguments: StoreLocation.allCases)
  func heldObjectShowsWhatOthersSavedAfterAnyFetch(_ place: StoreLocation) throws {
    let (store, _) = try crates(2, place)
    let context = store.context()
    let held = try context.all(Crate.self)
    try edit(store) { $0.text = "new" }
    // A fetch that has nothing to do with them.
    #expect(try context.fetchCount(FetchDescriptor<Sensor>()) == 0)
    #expect(held.map(\.text) == ["new", "new"])
    #expect(!context.hasChanges)
  }

  @Test(arguments: StoreLocation.allCases)
  func heldObjectShowsWhatOthersSavedAfterASave(_ place: StoreLocation) throws {
    let (store, _) = try crates(1, place)
    let context = store.context()
    let held = try #require(try context.all(Crate.self).first)
    try edit(store) { $0.text = "new" }
    context.insert(Sensor("a"))
    try context.save()
    #expect(held.text == "new")
  }

  @Test(arguments: StoreLocation.allCases)
  func heldObjectShowsWhatOthersSavedWhenItIsObserved(_ place: StoreLocation) throws {
    let (store, _) = try crates(1, place)
    let context = store.context()
    let held = try #require(try context.all(Crate.self).first)
    try edit(store) { $0.text = "new" }
    let seen = withObservationTracking {
      held.text
    } onChange: {
    }
    #expect(seen == "new")
  }

  @Test(arguments: StoreLocation.allCases)
  func observersAreToldOfWhatOthersSaved(_ place: StoreLocation) throws {
    let (store, _) = try crates(2, place)
    let context = store.context()
    let held = try context.all(Crate.self)
    let told = Counted<[Int]>([])
    for (index, crate) in held.enumerated() {
      withObservationTracking {
        _ = crate.text
      } onChange: {
        told.update { $0.append(index) }
      }
    }
    try edit(store) { if $0.number == 1 { $0.text = "new" } else { $0.note = "not observed" } }
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(told.value == [1])
    #expect(held[0].note == "not observed")
  }

  @Test(arguments: StoreLocation.allCases)
  func objectWhoseRowOthersDeletedLeavesWithItsValues(_ place: StoreLocation) throws {
    let (store, _) = try crates(2, place)
    let context = store.context()
    let held = try context.all(Crate.self)
    let writer = store.context()
    try writer.delete(model: Crate.self, where: #Predicate { $0.number == 0 })
    try writer.save()
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 1)
    #expect(held[0].modelContext == nil)
    #expect(held[0].text == "old")
    #expect(held[1].modelContext == context)
    held[0].text = "dropped"
    #expect(!context.hasChanges)
    let id = held[0].persistentModelID
    #expect(context.registeredModel(for: id) as Crate? == nil)
  }

  @Test(arguments: StoreLocation.allCases)
  func listsThatAreObservedAreToldOfMembersOfOthers(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self, Course.self, Student.self)
    let family = Family(name: "Doe")
    family.members = [Member(name: "ann")]
    let other = Family(name: "Roe")
    _ = try store.saved([family, other])
    let context = store.context()
    let families = try context.all(Family.self)
    let (doe, roe) = (families[0].name == "Doe" ? (families[0], families[1]) : (families[1], families[0]))
    let told = Counted<[String]>([])
    for family in [doe, roe] {
      let name = family.name
      withObservationTracking {
        _ = family.members.count
      } onChange: {
        told.update { $0.append(name) }
      }
    }
    let writer = store.context()
    let theirs = try #require(try writer.all(Family.self).first { $0.name == "Doe" })
    theirs.members.append(Member(name: "bob"))
    try writer.save()
    _ = try context.fetchCount(FetchDescriptor<Course>())
    #expect(told.value == ["Doe"])
    #expect(doe.members.map(\.name) == ["ann", "bob"])
  }

  @Test(arguments: StoreLocation.allCases)
  func linksThatAreObservedAreToldOfMembersOfOthers(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self, Course.self, Student.self)
    let course = Course(title: "swift")
    course.students = [Student(name: "ann")]
    _ = try store.saved([course])
    let context = store.context()
    let held = try #require(try context.all(Course.self).first)
    let told = Counted(0)
    withObservationTracking {
      _ = held.students.count
    } onChange: {
      told.update { $0 += 1 }
    }
    let writer = store.context()
    let theirs = try #require(try writer.all(Course.self).first)
    theirs.students.append(Student(name: "bob"))
    try writer.save()
    _ = try context.fetchCount(FetchDescriptor<Family>())
    #expect(told.value == 1)
    #expect(Set(held.students.map(\.name)) == ["ann", "bob"])
  }

  /// However many rows others changed, those in hand are read in batches, and others not at all.
  @Test(arguments: StoreLocation.allCases)
  func takingOverReadsOnlyWhatIsInHand(_ place: StoreLocation) throws {
    let (store, _) = try crates(5_000, place)
    let context = store.context()
    var descriptor = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)])
    descriptor.fetchLimit = 3_000
    let held = try context.fetch(descriptor)
    try edit(store) { $0.text = "new" }
    let work = try context.reading { context.core.mergeRemoteChangesIfNeeded() }
    #expect(held.allSatisfy { $0.text == "new" })
    #expect(work.statementRuns <= 3)
    // Nothing waits any more.
    #expect(try context.reading { context.core.mergeRemoteChangesIfNeeded() }.statementRuns == 0)
  }

  /// A context that nobody uses does not collect what others save for ever.
  @Test func idleContextKeepsNoLongList() throws {
    let (store, writer) = try crates(30_000, .memory)
    let context = store.context()
    let held = try context.all(Crate.self)
    let crates = try writer.all(Crate.self)
    for round in 0..<3 {
      for crate in crates { crate.text = "\(round)" }
      try writer.save()
    }
    let mail = context.core.remoteChanges.drain()
    #expect(mail.hasOverflowed && mail.changes.isEmpty)
    context.core.remoteChanges.requeue(mail)
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(held.allSatisfy { $0.text == "2" })
  }

  @Test(arguments: StoreLocation.allCases)
  func mergingMayBeTurnedOff(_ place: StoreLocation) throws {
    let (store, _) = try crates(1, place)
    let context = store.context()
    context.automaticallyMergesChanges = false
    let held = try #require(try context.all(Crate.self).first)
    try edit(store) { $0.text = "new" }
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(held.text == "old")
    context.automaticallyMergesChanges = true
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(held.text == "new")
  }

  /// A row that cannot be read any more does not keep the others from being taken over.
  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases)
  func rowThatCannotBeReadIsLeftAlone(_ place: StoreLocation) throws {
    let store = try TestStore(place, EveryValue.self, Sensor.self)
    let values = (0..<3).map { _ in EveryValue() }
    for (number, value) in values.enumerated() { value.int = number }
    let writer = try store.saved(values)
    let context = store.context()
    let order = FetchDescriptor<EveryValue>(sortBy: [SortDescriptor(\.int)])
    let held = try context.fetch(order)
    for value in try writer.fetch(order) { value.string = "new" }
    try writer.save()
    try store.execute("UPDATE EveryValue SET grade = 'nonsense' WHERE larder_id = \(held[1].persistentModelID.key)")
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(held.map(\.string) == ["new", "", "new"])
  }

  /// What cannot be read while it is to be taken over waits until it can.
  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases)
  func whatCannotBeReadIsTakenOverLater(_ place: StoreLocation) throws {
    let (store, _) = try crates(2, place)
    let context = store.context()
    let order = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)])
    let held = try context.fetch(order)
    // The second one is left behind, for the sake of its edit.
    context.mergePolicy = .overwrite
    held[1].note = "mine"
    try edit(store) { $0.text = "new" }
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(held.map(\.text) == ["new", "old"])
    try edit(store) { if $0.number == 0 { $0.text = "newer" } }
    try store.execute("ALTER TABLE Crate RENAME TO away")
    context.rollback()
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(held.map(\.text) == ["new", "old"])
    try store.execute("ALTER TABLE away RENAME TO Crate")
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(held.map(\.text) == ["newer", "new"])
  }

  /// Turns of the main queue bring the main context up to date, and tell its observers.
  @Test(arguments: StoreLocation.allCases) @MainActor
  func mainContextTakesOverByItself(_ place: StoreLocation) async throws {
    let (store, _) = try crates(1, place)
    let context = store.container.mainContext
    let held = try #require(try context.all(Crate.self).first)
    let told = Counted(false)
    withObservationTracking {
      _ = held.text
    } onChange: {
      told.update { $0 = true }
    }
    let container = store.container
    try await Task.detached {
      let writer = ModelContext(container)
      for crate in try writer.fetch(FetchDescriptor<Crate>()) { crate.text = "new" }
      try writer.save()
    }
    .value
    // Nothing asks the context meanwhile.
    while !told.value { try await Task.sleep(for: .milliseconds(1)) }
    // Those who observe are told before the value changes.
    while held.text == "old" { try await Task.sleep(for: .milliseconds(1)) }
    #expect(held.text == "new")
  }

  @ModelActor
  actor Keeper {
    private var held: [Crate] = []

    func hold() throws { held = try modelContext.fetch(FetchDescriptor<Crate>()) }
    var texts: [String] { held.map(\.text) }
  }

  @Test(arguments: StoreLocation.allCases)
  func modelActorTakesOverByItself(_ place: StoreLocation) async throws {
    let (store, _) = try crates(2, place)
    let keeper = Keeper(modelContainer: store.container)
    try await keeper.hold()
    try edit(store) { $0.text = "new" }
    // The turn was asked for before this call.
    #expect(await keeper.texts == ["new", "new"])
  }

  /// Two containers on one file are one store.
  @Test(.directly("it looks at what an SQLite store shares and records")) func containersOfOneFileTellEachOther() throws
  {
    let folder = TestFolder()
    let first = try TestStore.open(.disk, folder.url("test.store"), [Crate.self])
    let second = try TestStore.open(.disk, folder.url("test.store"), [Crate.self, Sensor.self])
    let writer = ModelContext(first)
    let crate = Crate(number: 1, text: "old")
    writer.insert(crate)
    try writer.save()
    let context = ModelContext(second)
    let held = try #require(try context.all(Crate.self).first)
    crate.text = "new"
    try writer.save()
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(held.text == "new")
  }
}
