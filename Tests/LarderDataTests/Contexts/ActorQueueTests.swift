import Dispatch
import LarderData
import SwiftData
import Testing

/// Where a model actor's work runs, and who waits for it.
@Suite(.timeLimit(.minutes(20))) struct ActorQueueTests {
  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  @ModelActor
  actor Worker {
    /// Not by the thread: the main queue need not be served by the main one.
    var isOnTheMainQueue: Bool { DispatchQueue.getSpecific(key: ActorQueueTests.mark) == true }

    /// Keeps its queue busy until the gate is opened.
    ///
    /// - Returns: Whether it was, before the patience ran out.
    func work(_ gate: DispatchSemaphore, _ begun: Counted<Bool>) throws -> Bool {
      modelContext.insert(Crate(number: 1))
      begun.update { $0 = true }
      let isOpened = gate.wait(timeout: .now() + 60) == .success
      try modelContext.save()
      return isOpened
    }
  }

  /// Wherever it was made, and whoever calls.
  @Test @MainActor func actorMadeOnTheMainActorRunsElsewhere() async throws {
    let store = try TestStore(.memory, Crate.self)
    let worker = Worker(modelContainer: store.container)
    #expect(await !worker.isOnTheMainQueue)
    let other = await Task.detached { [container = store.container] in Worker(modelContainer: container) }.value
    #expect(await !other.isOnTheMainQueue)
  }

  @Test(arguments: StoreLocation.allCases) @MainActor
  func slowActorDoesNotHoldTheMainContextUp(_ place: StoreLocation) async throws {
    let store = try TestStore(place, Crate.self)
    let context = store.container.mainContext
    let worker = Worker(modelContainer: store.container)
    let (gate, begun) = (DispatchSemaphore(value: 0), Counted(false))
    let work = Task { try await worker.work(gate, begun) }
    while !begun.value { try await Task.sleep(for: .milliseconds(1)) }
    context.insert(Crate(number: 2))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Crate>()).map(\.number) == [2])
    gate.signal()
    #expect(try await work.value)
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 2)
  }
}
