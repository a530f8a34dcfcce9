import Foundation
import LarderData
import SwiftData
import Testing

@Suite(.timeLimit(.minutes(20))) struct AutosaveTests {
  private func count(_ store: TestStore) throws -> _StoredValue? { try store.value("SELECT count(*) FROM Crate") }

  @Test(arguments: StoreLocation.allCases) @MainActor
  func mainContextSavesAtTheEndOfTheTurn(_ place: StoreLocation) async throws {
    let store = try TestStore(place, Crate.self)
    let context = store.container.mainContext
    let log = SaveLog(context)
    context.insert(Crate(number: 1))
    context.insert(Crate(number: 2))
    #expect(context.hasChanges)
    #expect(try count(store) == .integer(0))
    while context.hasChanges { try await Task.sleep(for: .milliseconds(1)) }
    #expect(try count(store) == .integer(2))
    // Both in one.
    #expect(log.saves.count == 1)
  }

  /// What changes with a save waits until a second has passed.
  @Test(arguments: StoreLocation.allCases) @MainActor
  func savesThatNobodyAskedForAreASecondApart(_ place: StoreLocation) async throws {
    let store = try TestStore(place, Crate.self)
    let context = store.container.mainContext
    let times = Counted<[ContinuousClock.Instant]>([])
    let change = Unchecked { if times.value.count == 1 { context.insert(Crate(number: 2)) } }
    let center = NotificationCenter.default
    let observers = [
      center.addObserver(forName: ModelContext.willSave, object: context, queue: nil) { _ in
        times.update { $0.append(.now) }
      },
      center.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { _ in change.body() },
    ]
    defer { for observer in observers { center.removeObserver(observer) } }
    context.insert(Crate(number: 1))
    while times.value.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(times.value[1] - times.value[0] >= .seconds(_ContextCore.autosaveInterval) - .milliseconds(50))
    #expect(try count(store) == .integer(2))
  }

  private static let isMain: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      done.signal()
    }
    done.wait()
  }

  /// The last reference to a container may go on any thread, in the midst of a turn of the main queue.
  @Test @MainActor func mainContextSavesOnTheMainQueueWhoeverLetsItGo() async throws {
    let folder = TestFolder()
    let url = folder.url("test.store")
    let saves = Counted<[Bool]>([])
    let token = NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: nil, queue: nil) {
      note in
      guard (note.object as? ModelContext)?.author == "main" else { return }
      let isMain = DispatchQueue.getSpecific(key: Self.isMain) == true
      saves.update { $0.append(isMain) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    var container: ModelContainer? = try TestStore.open(.disk, url, [Crate.self])
    container?.mainContext.author = "main"
    container?.mainContext.insert(Crate(number: 1))
    let last = Counted(container)
    container = nil
    // Within this turn.
    onAnotherThread { last.update { $0 = nil } }
    while saves.value.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    #expect(saves.value == [true])
    let reopened = try TestStore.open(.disk, url, [Crate.self])
    #expect(try ModelContext(reopened).fetchCount(FetchDescriptor<Crate>()) == 1)
  }

  /// A context may have changed before it is an actor's.
  @Test(arguments: StoreLocation.allCases)
  func contextThatBecomesAnActorsSaves(_ place: StoreLocation) async throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    context.autosaveEnabled = true
    context.insert(Crate(number: 1))
    let executor = DefaultSerialModelExecutor(modelContext: context)
    while try count(store) == .integer(0) { try await Task.sleep(for: .milliseconds(1)) }
    withExtendedLifetime(executor) {}
  }

  @Test(arguments: StoreLocation.allCases) @MainActor
  func autosaveMayBeTurnedOff(_ place: StoreLocation) async throws {
    let store = try TestStore(place, Crate.self)
    let context = store.container.mainContext
    context.autosaveEnabled = false
    context.insert(Crate(number: 1))
    for _ in 0..<10 { await Task.yield() }
    #expect(context.hasChanges)
    context.autosaveEnabled = true
    while context.hasChanges { try await Task.sleep(for: .milliseconds(1)) }
    #expect(try count(store) == .integer(1))
  }

  /// What cannot be saved stays pending, and is told.
  @Test(arguments: StoreLocation.allCases) @MainActor
  func autosaveThatFailsKeepsTheChanges(_ place: StoreLocation) async throws {
    let store = try TestStore(place, Crate.self, Sensor.self)
    let context = store.container.mainContext
    let sensor = Sensor("a", level: .nan)
    context.insert(sensor)
    for _ in 0..<20 { await Task.yield() }
    try await Task.sleep(for: .milliseconds(50))
    #expect(context.hasChanges)
    #expect(context.pendingError == nil)
    // It begins nothing that was not pending before: the context tries again by itself.
    sensor.level = 1
    while context.hasChanges { try await Task.sleep(for: .milliseconds(20)) }
    #expect(try store.value("SELECT count(*) FROM Sensor") == .integer(1))
  }

  @ModelActor
  actor Worker {
    func insert(_ number: Int, savingByItself: Bool) {
      modelContext.autosaveEnabled = savingByItself
      modelContext.insert(Crate(number: number))
    }
    var hasChanges: Bool { modelContext.hasChanges }
  }

  @Test(arguments: StoreLocation.allCases)
  func modelActorSavesInATurnOfItsOwn(_ place: StoreLocation) async throws {
    let store = try TestStore(place, Crate.self)
    let worker = Worker(modelContainer: store.container)
    await worker.insert(1, savingByItself: false)
    try await Task.sleep(for: .milliseconds(20))
    #expect(await worker.hasChanges)
    await worker.insert(2, savingByItself: true)
    // Two calls in a row may be one turn.
    while await worker.hasChanges { try await Task.sleep(for: .milliseconds(1)) }
    #expect(try count(store) == .integer(2))
  }
}
