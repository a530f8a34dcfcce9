import Foundation
import LarderHTTP
import Synchronization
import Testing

@testable import payments

/// Online and offline, by what a monitor says and by what requests say.
@MainActor @Suite struct PageSyncTests {
  /// Counts syncs, and fails as it is told.
  final class Repository: PaymentRepository {
    private let state = Mutex((syncs: 0, failure: NetworkError?.none, waiting: (@Sendable () async -> Void)?.none))
    var syncs: Int { state.withLock { $0.syncs } }
    func fail(_ failure: NetworkError?) { state.withLock { $0.failure = failure } }
    func wait(_ waiting: @escaping @Sendable () async -> Void) { state.withLock { $0.waiting = waiting } }
    func syncPayments() async throws {
      let (failure, waiting) = state.withLock { state in
        state.syncs += 1
        return (state.failure, state.waiting)
      }
      await waiting?()
      if let failure { throw failure }
    }
    func getPayments() -> [Payment] { [] }
    func getPayment(id: String) throws -> Payment { throw PaymentFailure.unknown }
    func createPayment(_ draft: PaymentDraft) throws -> Payment { throw PaymentFailure.unknown }
    func cancelPayment(id: String) {}
  }

  /// Whether something has come to its end.
  final class Told: Sendable {
    private let flag = Atomic(false)
    var isTold: Bool { flag.load(ordering: .acquiring) }
    func tell() { flag.store(true, ordering: .releasing) }
  }

  private let repository = Repository()
  private let outbox = PageOutbox()
  private let connectivity = ManualConnectivityMonitor(.up)

  private func manager(every interval: Duration = .seconds(60)) -> SyncManager {
    SyncManager(connectivity: connectivity, repository: repository, outbox: outbox, interval: interval)
  }

  @Test func returnOfTheNetworkSendsAndSyncs() async throws {
    let sync = manager()
    let running = Task { await sync.run() }
    try await wait(for: "the first sync") { sync.lastSync != nil }
    #expect(await outbox.hurries == 0)
    connectivity.set(.down)
    try await wait(for: "the word") { !sync.isOnline }
    connectivity.set(.up)
    try await wait(for: "another sync") { repository.syncs == 2 && sync.isOnline }
    #expect(await outbox.hurries >= 1)
    running.cancel()
    await running.value
  }

  @Test func wrongDownStopsNothing() async throws {
    connectivity.set(.down)
    let sync = manager(every: .milliseconds(20))
    let running = Task { await sync.run() }
    try await wait(for: "syncs") { repository.syncs >= 3 && sync.isOnline }
    running.cancel()
    await running.value
    // The monitor still says that there is no network; the answers say more.
    #expect(connectivity.state == .down && sync.isOnline && sync.trouble == nil)
  }

  @Test func requestsTellWhatTheMonitorDoesNotKnow() async throws {
    repository.fail(.notSent)
    let sync = manager(every: .milliseconds(20))
    let running = Task { await sync.run() }
    try await wait(for: "the trouble") { !sync.isOnline && sync.trouble == "The bank cannot be reached." }
    #expect(sync.lastSync == nil)
    repository.fail(nil)
    try await wait(for: "the return") { sync.isOnline && sync.trouble == nil && sync.lastSync != nil }
    try await wait(for: "the queue") { await outbox.hurries >= 1 }
    running.cancel()
    await running.value
  }

  /// Whoever presses the button waits for one sync, however long the bank takes over it and how often it is asked.
  @Test func aSlowBankKeepsNobodyForLongerThanOneSync() async throws {
    let turns = AsyncStream<Void>.makeStream()
    repository.wait { for await _ in turns.stream { return } }
    let sync = manager(every: .milliseconds(1))
    let pressed = Told()
    let pressing = Task {
      await sync.syncPendingChanges()
      pressed.tell()
    }
    try await wait(for: "the sync") { repository.syncs == 1 }
    let running = Task { await sync.run() }
    // The manager itself would ask many times meanwhile.
    for _ in 0..<1_000 { await Task.yield() }
    turns.continuation.yield()
    try await wait(for: "the end of the sync") { pressed.isTold }
    running.cancel()
    turns.continuation.finish()
    await pressing.value
    await running.value
  }

  @Test(arguments: [
    (NetworkError.noAnswer, false, "The bank does not answer."),
    (.serverError(statusCode: 503), true, "The bank has a problem of its own (status 503)."),
    (.limited(until: nil), true, "The bank asks to wait."), (.unauthorized, true, "Sign in to the bank again."),
    (.decodingError, true, "The bank's answer cannot be read."),
    (.httpError(statusCode: 422, reason: "Because.", type: nil), true, "Because."),
  ])
  func failuresAreWords(_ error: NetworkError, _ isOnline: Bool, _ words: String) async {
    repository.fail(error)
    let sync = manager()
    await sync.syncPendingChanges()
    #expect(sync.trouble == words && sync.isOnline == isOnline)
  }

  @Test func lastSyncIsKnownAfterARestart() async throws {
    let container = try DIContainer(network: PageBank(), store: nil)
    #expect(try container.stack.lastSync == nil)
    try await container.paymentDAO.save(PageMade.payment("p-1"))
    #expect(try #require(try container.stack.lastSync).timeIntervalSinceNow > -60)
  }
}
