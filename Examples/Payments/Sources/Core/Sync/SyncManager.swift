import Foundation
import LarderHTTP
import Observation

/// Keeps the store in step with the bank, and knows whether the bank can be reached.
///
/// What a monitor says is a hint. That the network is down keeps no request from being made, and one that is answered
/// says more than the monitor.
@MainActor
@Observable
final class SyncManager {
  private(set) var isOnline = true
  /// When the store was last in step with the bank.
  private(set) var lastSync: Date?
  /// Why it is not, in words.
  private(set) var trouble: String?

  @ObservationIgnored private let connectivity: any ConnectivityMonitor
  @ObservationIgnored private let repository: any PaymentRepository
  @ObservationIgnored private let outbox: any PaymentOutbox
  @ObservationIgnored private let interval: Duration
  @ObservationIgnored private let hurry: TimeInterval
  @ObservationIgnored private var isSyncing = false
  @ObservationIgnored private var isAskedAgain = false

  /// - Parameters:
  ///   - connectivity: Tells when the network comes and goes.
  ///   - repository: What is synced.
  ///   - outbox: What is woken when the network comes back.
  ///   - lastSync: When the store was last in step, in another run of the program.
  ///   - interval: The time between syncs.
  ///   - hurry: What waits no longer than this, in seconds, is sent as soon as the network is back.
  init(
    connectivity: any ConnectivityMonitor, repository: any PaymentRepository, outbox: any PaymentOutbox,
    lastSync: Date? = nil, interval: Duration = .seconds(5), hurry: TimeInterval = 5
  ) {
    self.connectivity = connectivity
    self.repository = repository
    self.outbox = outbox
    self.lastSync = lastSync
    self.interval = interval
    self.hurry = hurry
  }

  /// Syncs again and again, and as soon as the network is back, until it is cancelled.
  func run() async {
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await self.follow() }
      tasks.addTask { await self.repeatSync() }
    }
  }

  /// Sends what waits, and asks the bank what there is.
  func syncPendingChanges() async {
    await wake()
    await syncPayments()
  }

  private func follow() async {
    var isFirst = true
    for await state in connectivity.states() {
      if state == .down { isOnline = false }
      // The first is how things are, and not news.
      if state == .up, !isFirst { await syncPendingChanges() }
      isFirst = false
    }
  }

  private func repeatSync() async {
    while !Task.isCancelled {
      // One that is under way is as good. To ask for another would keep whoever waits for it until the bank is well again.
      if !isSyncing { await syncPayments() }
      try? await Task.sleep(for: interval)
    }
  }

  /// One at a time. Who asks meanwhile is served by another after it: the first may have begun on a line that was dead.
  private func syncPayments() async {
    isAskedAgain = true
    guard !isSyncing else { return }
    isSyncing = true
    defer { isSyncing = false }
    while isAskedAgain, !Task.isCancelled {
      isAskedAgain = false
      await ask()
    }
  }

  private func ask() async {
    let wasOnline = isOnline
    do {
      try await repository.syncPayments()
      lastSync = .now
      trouble = nil
      isOnline = true
    } catch {
      // A program that ends has not lost its bank.
      if Task.isCancelled { return }
      trouble = SyncTrouble.words(error)
      isOnline = SyncTrouble.isFromTheBank(error)
    }
    if isOnline, !wasOnline { await wake() }
  }

  private func wake() async {
    do { try await outbox.hurry(within: hurry) } catch { trouble = SyncTrouble.words(error) }
  }
}
