import Foundation
import LarderData
import LarderSQLite
import LarderSupport
import Patience
import SwiftData
import Testing

/// Who is woken by what, counted.
@Suite struct WakingTests {
  private func wakes(_ docks: Docks, _ work: (ModelContext) throws -> Void) throws -> Int {
    let before = docks.watches.wakeCount
    try docks.elsewhere(work)
    return docks.watches.wakeCount - before
  }

  /// Of many who read the rows of one value each, a commit wakes those of the values that it touches.
  @Test(arguments: Storage.allCases)
  func byValue(_ storage: Storage) throws {
    let docks = try Docks(storage)
    let context = ModelContext(docks.container)
    try docks.elsewhere { context in for flag in ["f1", "f2", "f3"] { context.insert(Ship("s", flag: flag)) } }
    let observers = try (0..<100).map { number in
      let flag = "f\(number)"
      return try ResultsObserver(
        fetchDescriptor: ships(#Predicate { $0.flag == flag }), modelContext: context, isolation: nil)
    }
    func ship(_ context: ModelContext, _ flag: String) throws -> Ship? {
      try context.fetch(ships(#Predicate { $0.flag == flag })).first
    }
    #expect(try wakes(docks) { $0.insert(Ship("new", flag: "f50")) } == 1)
    #expect(try wakes(docks) { $0.insert(Ship("new", flag: "none")) } == 0)
    #expect(try wakes(docks) { try ship($0, "f1")?.flag = "f60" } == 2)
    #expect(try wakes(docks) { try ship($0, "f60")?.name = "other" } == 1)
    #expect(try wakes(docks) { try ship($0, "f60")?.notes = "unread" } == 0)
    #expect(try wakes(docks) { context in try ship(context, "f2").map(context.delete) } == 1)
    #expect(try wakes(docks) { try $0.delete(model: Ship.self, where: #Predicate { $0.flag == "f3" }) } == 1)
    // Nobody has looked what the rows of an update by predicate had before.
    #expect(try wakes(docks) { try $0.updateAndSave(Ship.self) { $0.set(\.flag, to: "f70") } } == 100)
    #expect(observers[70].results.count == 3)
    #expect(observers[60].results.isEmpty)
    #expect(observers[50].results.isEmpty)
    // More rows than are looked at.
    #expect(try wakes(docks) { context in for _ in 0...1_000 { context.insert(Ship("x", flag: "none")) } } == 100)
  }

  /// An insert that meets a row with its key changes that row.
  @Test func byValueWhereAnInsertMeetsARow() throws {
    let docks = try Docks()
    try docks.elsewhere { $0.insert(Harbour("Oslo", country: "NO")) }
    let context = ModelContext(docks.container)
    let names = ["Oslo", "Bergen"]
    let observers = try names.map { name in
      try ResultsObserver<Harbour, Never>(
        filterBy: #Predicate { $0.name == name && $0.country == "SE" }, modelContext: context, isolation: nil)
    }
    #expect(observers[0].results.isEmpty)
    #expect(try wakes(docks) { $0.insert(Harbour("Oslo", country: "SE")) } >= 1)
    #expect(observers[0].results.count == 1)
    #expect(observers[1].results.isEmpty)
  }

  /// An upsert is a commit like any other.
  @Test(arguments: Storage.allCases)
  func byValueInUpserts(_ storage: Storage) throws {
    let docks = try Docks(storage)
    let context = ModelContext(docks.container)
    let observers = try (0..<50).flatMap { number in
      let (name, country) = ("h\(number)", "c\(number)")
      return [
        try ResultsObserver<Harbour, Never>(
          filterBy: #Predicate { $0.name == name }, modelContext: context, isolation: nil),
        try ResultsObserver<Harbour, Never>(
          filterBy: #Predicate { $0.country == country }, modelContext: context, isolation: nil),
      ]
    }
    func wakes(_ records: [(name: String, country: String?)]) throws -> Int {
      try self.wakes(docks) { _ in
        _ = try docks.container.upsert(records, into: Harbour.self, by: \.name) { harbour in
          harbour.set(\.name) { $0.name }
          harbour.set(\.country) { $0.country }
        }
      }
    }
    #expect(try wakes([("h1", "c1")]) == 2)
    #expect(try wakes([("x", "none"), ("y", nil)]) == 0)
    // What a row had before, and what it has.
    #expect(try wakes([("h1", "c2")]) == 2)
    #expect(try wakes([("x", "c3"), ("h1", "c2"), ("y", nil)]) == 1)
    #expect(try wakes([("x", nil), ("z", "c4")]) == 2)
    // Twice in one upsert.
    #expect(try wakes([("w", "c5"), ("w", "c6"), ("z", "c7"), ("z", "none")]) == 2)
    #expect(observers[3].results.isEmpty && observers[5].results.map(\.name) == ["h1"])
    // More rows than are looked at in one transaction. Each one is longer than the one before, so that a slow machine
    // comes to such a one, too.
    #expect(try wakes((0..<10_000).map { ("n\($0)", "none") }) >= 100)
  }

  /// A thousand queries of which a commit concerns none run nothing.
  @Test func thousandQueriesOfOthers() throws {
    let docks = try Docks()
    try docks.elsewhere { $0.insert(Harbour("H")) }
    let context = ModelContext(docks.container)
    let observers = try (0..<1_000).map { number in
      try ResultsObserver<Ship, Never>(
        filterBy: #Predicate { $0.tonnage > number }, modelContext: context, isolation: nil)
    }
    let runs = docks.watches.runCount
    #expect(try wakes(docks) { try $0.fetch(FetchDescriptor<Harbour>()).first?.country = "NO" } == 0)
    #expect(docks.watches.runCount == runs)
    #expect(observers.allSatisfy { $0.results.isEmpty })
  }

  /// However many commits come while a query runs, it runs once more.
  @Test func runsAreFewerThanCommits() async throws {
    let docks = try Docks()
    let context = ModelContext(docks.container)
    let observer = try ResultsObserver(fetchDescriptor: ships(), modelContext: context, isolation: nil)
    let isHeld = Locked(true)
    LiveQueryExecutor.shared(for: docks.container.core).run { _ in
      while isHeld.withLock({ $0 }) { usleep(100) }
    }
    let runs = docks.watches.runCount
    for number in 0..<50 { try docks.elsewhere { $0.insert(Ship("s\(number)")) } }
    isHeld.withLock { $0 = false }
    try await until("the run") { docks.watches.runCount > runs }
    try await settle()
    #expect(docks.watches.runCount - runs <= 2)
    #expect(observer.results.count == 50)
  }

  /// What is committed while a query runs has it run again, and is told.
  @MainActor
  @Test func commitsDuringARunAreTold() async throws {
    let docks = try Docks()
    try docks.elsewhere { context in for number in 0..<3_000 { context.insert(Ship("s\(number)", tonnage: 1)) } }
    // Swift is asked about each row, which takes a while.
    let observer = try ResultsObserver<Ship, Never>(
      filterBy: #Predicate { $0.name.count + $0.tonnage > 100 }, modelContainer: docks.container)
    let counter = Counter(observer)
    let container = docks.container
    let fleet = Task.detached {
      for number in 0..<60 {
        let context = ModelContext(container)
        context.insert(Ship("n\(number)", tonnage: 200))
        try context.save()
        // Now and then nothing is committed for a while, in which the answer must arrive.
        try await Task.sleep(for: .milliseconds(number % 10 == 9 ? 50 : 1))
      }
    }
    try await fleet.value
    try await until("the last ship") { counter.shown == 60 }
  }
}

/// How many ships an observer has told of.
@MainActor
private final class Counter {
  private let observer: ResultsObserver<Ship, Never>
  private(set) var shown = 0

  init(_ observer: ResultsObserver<Ship, Never>) {
    self.observer = observer
    track()
  }

  private func track() {
    withObservationTracking {
      shown = observer.results.count
    } onChange: { [weak self] in
      Task { @MainActor in self?.track() }
    }
  }
}
