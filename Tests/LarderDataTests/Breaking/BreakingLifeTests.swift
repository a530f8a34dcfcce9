import Foundation
import LarderData
import LarderSQLite
import LarderSupport
import SwiftData
import Synchronization
import Testing

@ModelActor
actor Counter {
  func add(_ number: Int) throws -> Int {
    modelContext.insert(Crate(number: number))
    try modelContext.save()
    return try modelContext.fetchCount(FetchDescriptor<Crate>())
  }

  func look() throws -> Int { try modelContext.fetch(FetchDescriptor<Crate>()).count }
}

@Suite(.serialized) struct BreakingLifeTests {
  @Test func editAfterTheContextWentWaitsForItsSave() throws {
    let store = try TestStore(.disk, Crate.self)
    weak var leaked: Crate?
    do {
      let context = store.context()
      context.insert(Crate(number: 1))
      try context.save()
    }
    do {
      let crate = try #require(try ModelContext(store.container).fetch(FetchDescriptor<Crate>()).first)
      leaked = crate
      crate.number = 2
    }
    // Nobody holds it any more, and its edit is not lost: it is there until it is saved.
    try leaked?.modelContext?.save()
    #expect(leaked == nil)
    #expect(try store.value("SELECT number FROM Crate") == .integer(2))
  }

  @Test func contextOfAModelThatOutlivedItKeepsEdits() throws {
    let store = try TestStore(.disk, Crate.self)
    let seed = store.context()
    seed.insert(Crate(number: 1))
    try seed.save()
    let crate = try #require(try ModelContext(store.container).fetch(FetchDescriptor<Crate>()).first)
    crate.number = 2
    #expect(crate.modelContext != nil)
    #expect(crate.number == 2)
    try crate.modelContext?.save()
    #expect(try store.value("SELECT number FROM Crate") == .integer(2))
  }

  @Test func moreContextsThanReadersFetchOnOneThread() throws {
    let store = try TestStore(.disk, Crate.self)
    let seed = store.context()
    seed.insert(Crate(number: 1))
    try seed.save()
    let contexts = (0..<40).map { _ in store.context() }
    for _ in 0..<2 {
      for context in contexts { #expect(try context.fetch(FetchDescriptor<Crate>()).count == 1) }
    }
  }

  @Test func manyActorsFetchAtOnce() async throws {
    let store = try TestStore(.disk, Crate.self)
    let container = store.container
    do {
      try await withThrowingTaskGroup(of: Int.self) { group in
        // More than there are threads for, and few enough for each to have its turn in time on a slow machine.
        for number in 0..<100 {
          group.addTask {
            let counter = Counter(modelContainer: container)
            _ = try await counter.look()
            _ = try await counter.add(number)
            return try await counter.look()
          }
        }
        for try await count in group { #expect(count >= 1) }
      }
    }
    #expect(try store.context().fetchCount(FetchDescriptor<Crate>()) == 100)
  }

  @Test func containerGoesWhileActorsWork() async throws {
    let folder = TestFolder()
    for round in 0..<20 {
      let tasks: [Task<Int, any Error>]
      do {
        let container = try TestStore.open(.disk, folder.url("test.store"), [Crate.self])
        tasks = (0..<4).map { number in
          let counter = Counter(modelContainer: container)
          return Task.detached { try await counter.add(round * 4 + number) }
        }
      }
      for task in tasks { _ = try await task.value }
    }
    let container = try TestStore.open(.disk, folder.url("test.store"), [Crate.self])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Crate>()) == 80)
  }

  @Test func insertDeleteInsertOfOneInstance() throws {
    let store = try TestStore(.disk, Sensor.self)
    let (first, second) = (store.context(), store.context())
    let sensor = Sensor("a")
    first.insert(sensor)
    first.delete(sensor)
    second.insert(sensor)
    try second.save()
    second.delete(sensor)
    second.insert(sensor)
    try second.save()
    #expect(try store.value("SELECT count(*) FROM Sensor") == .integer(1))
    second.delete(sensor)
    try second.save()
    first.insert(sensor)
    #expect(sensor.modelContext === first)
    sensor.label = "again"
    try first.save()
    #expect(try store.rows("SELECT code, label FROM Sensor") == [[.text("a"), .text("again")]])
    // Delete a row, insert its key by another instance, in one save, and edit the deleted one.
    let replacement = Sensor("a", label: "replacement")
    sensor.label = "lost"
    first.delete(sensor)
    first.insert(replacement)
    try first.save()
    #expect(try store.rows("SELECT code, label FROM Sensor") == [[.text("a"), .text("replacement")]])
    #expect(sensor.isDeleted && sensor.modelContext == nil)
  }

  @Test func upsertOfAnObjectThatIsEditedOrDeletedHere() throws {
    let store = try TestStore(.disk, Sensor.self)
    let context = store.context()
    let sensor = Sensor("a", label: "1")
    context.insert(sensor)
    try context.save()
    sensor.label = "2"
    sensor.count = 9
    context.insert(Sensor("a", label: "3"))
    try context.save()
    #expect(sensor.label == "3" && sensor.count == 0)
    #expect(try store.rows("SELECT label, count FROM Sensor") == [[.text("3"), .integer(0)]])
    sensor.label = "4"
    #expect(context.hasChanges)
    try context.save()
    #expect(try store.rows("SELECT label FROM Sensor") == [[.text("4")]])
    // Edit frees a key that an insert takes.
    sensor.code = "b"
    let next = Sensor("a", label: "next")
    context.insert(next)
    try context.save()
    #expect(
      try store.rows("SELECT code, label FROM Sensor ORDER BY code")
        == [["a", "next"], ["b", "4"]].map { $0.map { .text($0) } })
    // A failed save, a rollback, then a good one.
    next.code = "b"
    #expect(throws: SaveError.self) { try context.save() }
    context.rollback()
    #expect(next.code == "a")
    next.label = "fine"
    try context.save()
    #expect(
      try store.rows("SELECT code, label FROM Sensor ORDER BY code")
        == [["a", "fine"], ["b", "4"]].map { $0.map { .text($0) } })
  }

  @Test func storeThatIsDeletedWhileOpenIsNoticed() throws {
    let folder = TestFolder()
    let url = folder.url("test.store")
    let container = try TestStore.open(.disk, url, [Crate.self])
    let context = ModelContext(container)
    context.insert(Crate(number: 1))
    try context.save()
    for name in folder.names { try FileManager.default.removeItem(at: folder.url(name)) }
    context.insert(Crate(number: 2))
    #expect(throws: StoreError.self) { try context.save() }
    #expect(context.hasChanges)
    // Another store at the same place: nothing of it is read or written by what was opened before.
    let other = try TestStore.open(.disk, url, [Crate.self])
    let otherContext = ModelContext(other)
    for number in 10..<15 { otherContext.insert(Crate(number: number)) }
    try otherContext.save()
    let contexts = (0..<4).map { _ in ModelContext(container) }
    for context in contexts {
      let numbers = try? context.fetch(FetchDescriptor<Crate>()).map(\.number)
      #expect(numbers == nil || numbers == [1])
    }
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try ModelContext(other).fetch(FetchDescriptor<Crate>()).map(\.number) == Array(10..<15))
  }

  @Test func nestedWorkInEnumerate() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = store.context()
    for number in 0..<50 { context.insert(Crate(number: number)) }
    try context.save()
    try context.enumerate(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)]), batchSize: 7) { crate in
      let number = crate.number
      if let next = try context.fetch(FetchDescriptor<Crate>(predicate: #Predicate { $0.number == number + 1 })).first {
        context.delete(next)
      }
      crate.text = "seen"
      try context.save()
      try context.enumerate(FetchDescriptor<Crate>()) { _ in }
    }
    #expect(try store.value("SELECT count(*) FROM Crate WHERE text = 'seen'") == .integer(25))
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(25))
  }

  @Test func savesInObservers() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = store.context()
    let depth = Atomic<Int>(0)
    nonisolated(unsafe) let unsafe = context
    let did = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { _ in
      if depth.add(1, ordering: .relaxed).newValue < 20 {
        unsafe.insert(Crate(number: 100))
        try? unsafe.save()
      }
    }
    let will = NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: context, queue: nil) {
      _ in
      try? unsafe.save()
      unsafe.insert(Crate(number: 200))
    }
    defer {
      NotificationCenter.default.removeObserver(did)
      NotificationCenter.default.removeObserver(will)
    }
    context.insert(Crate(number: 1))
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(1 + 19 + 20))
    #expect(!context.hasChanges)
  }

  @Test func threadsWithContextsSaveAndFetch() throws {
    let store = try TestStore(.disk, Sensor.self)
    let container = store.container
    let failures = Locked<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 16) { thread in
      let context = ModelContext(container)
      do {
        for round in 0..<20 {
          let code = "\((thread + round) % 10)"
          if let known = try context.fetch(FetchDescriptor<Sensor>(predicate: #Predicate { $0.code == code })).first {
            known.count += 1
            if round % 7 == 3 { context.delete(known) }
          } else {
            context.insert(Sensor(code, count: 1))
          }
          do { try context.save() } catch is SaveError { context.rollback() }
        }
      } catch { failures.withLock { $0.append("\(error)") } }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try store.value("PRAGMA integrity_check") == .text("ok"))
  }

  // MARK: Predicates

  @Test(arguments: StoreLocation.allCases)
  func predicatesWithStrangeCaptures(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self, EveryValue.self)
    let context = store.context()
    for number in 0..<10 {
      context.insert(Crate(number: number, text: "t\(number)", note: number % 2 == 0 ? nil : "n"))
    }
    context.insert(Crate(number: 50, text: "a\0b", note: "e\u{301}"))
    try context.save()
    context.insert(Crate(number: 51, text: "a\0b", note: "\u{e9}"))
    func count(_ predicate: Predicate<Crate>) throws -> [Int] {
      try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number)
    }
    let none: String? = nil
    #expect(try count(#Predicate { $0.note == none }) == [0, 2, 4, 6, 8])
    #expect(try count(#Predicate { $0.note != none }) == [1, 3, 5, 7, 9, 50, 51])
    let empty: [Int] = []
    #expect(try count(#Predicate { empty.contains($0.number) }) == [])
    let huge = Array(5..<100_005)
    #expect(try count(#Predicate { huge.contains($0.number) }) == [5, 6, 7, 8, 9, 50, 51])
    let hugeText = huge.map { "t\($0)" } + ["a\0b"]
    #expect(try count(#Predicate { hugeText.contains($0.text) }) == [5, 6, 7, 8, 9, 50, 51])
    let optionals: [String?] = [nil, "n"]
    #expect(try count(#Predicate { optionals.contains($0.note) }).count == 10)
    let zero = "a\0b"
    #expect(try count(#Predicate { $0.text == zero }) == [50, 51])
    let zeroOnly = "\0"
    #expect(try count(#Predicate { $0.text.contains(zeroOnly) }) == [50, 51])
    let start = "a\0"
    #expect(try count(#Predicate { $0.text.starts(with: start) }) == [50, 51])
    let nothing = ""
    #expect(try count(#Predicate { $0.text.contains(nothing) }).count == 12)
    #expect(try count(#Predicate { $0.text.starts(with: nothing) }).count == 12)
    let combining: String? = "\u{e9}"
    #expect(try count(#Predicate { $0.note == combining }) == [51])

    let values = EveryValue()
    values.double = 1
    context.insert(values)
    try context.save()
    let second = EveryValue()
    second.double = 2
    context.insert(second)
    let notANumber = Double.nan
    for predicate: Predicate<EveryValue> in [
      #Predicate { $0.double == notANumber }, #Predicate { $0.double < notANumber },
      #Predicate { $0.double > notANumber },
      #Predicate { $0.double != notANumber }, #Predicate { !($0.double < notANumber) },
      #Predicate { $0.optionalDouble == notANumber },
      #Predicate { $0.double + notANumber > 0 },
    ] {
      #expect(throws: (any Error).self) { try context.fetchCount(FetchDescriptor(predicate: predicate)) }
    }
    let nans = [Double.nan, 1]
    #expect(
      try context.fetchCount(FetchDescriptor<EveryValue>(predicate: #Predicate { nans.contains($0.double) })) == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func sortsByOptionalsWithLimits(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    for number in 0..<12 { context.insert(Crate(number: number, note: number % 3 == 0 ? nil : "\(number % 5)")) }
    try context.save()
    let all = try context.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)]))
    all[1].note = nil
    all[2].note = "9"
    all[3].note = "0"
    context.delete(all[5])
    context.delete(all[0])
    context.insert(Crate(number: 20, note: nil))
    context.insert(Crate(number: 21, note: "2"))
    for order in [SortOrder.forward, .reverse] {
      let sort = [SortDescriptor(\Crate.note, order: order), SortDescriptor(\Crate.number, order: .reverse)]
      let whole = try context.fetch(FetchDescriptor<Crate>(sortBy: sort)).map(\.number)
      #expect(whole.count == 12)
      for offset in 0..<14 {
        for limit in 0..<14 {
          var descriptor = FetchDescriptor<Crate>(sortBy: sort)
          descriptor.fetchLimit = limit
          descriptor.fetchOffset = offset
          #expect(try context.fetch(descriptor).map(\.number) == Array(whole.dropFirst(offset).prefix(limit)))
          #expect(try context.fetchCount(descriptor) == whole.dropFirst(offset).prefix(limit).count)
        }
      }
    }
  }
}
