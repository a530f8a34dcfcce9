internal import Dispatch
import Foundation
import LarderSQLite
import LarderSupport

/// A writer of an upsert's batches on its own queue, one after the other, while the caller awaits the next records.
// @unchecked: only the queue uses the upsert, and only the task that awaits this writer's methods uses `inFlight`.
final class AsyncUpsertWriter<Model: PersistentModel, Record: Sendable>: @unchecked Sendable {
  private let queue = DispatchQueue(label: "larder.upsert", qos: .userInitiated)
  private let upsert: BulkUpsert<Model, Record>
  private let progress: Progress?
  private let isAbandoned = Locked(false)
  private var inFlight: Task<Void, any Error>?

  init(_ upsert: BulkUpsert<Model, Record>, _ progress: Progress?) {
    self.upsert = upsert
    self.progress = progress
  }

  private var isCancelled: Bool { progress?.isCancelled == true || isAbandoned.withLock { $0 } }

  /// Waits for the previous batch, and starts writing the specified one.
  func write(_ records: [Record]) async throws {
    try await awaitInFlight()
    if records.isEmpty { return }
    progress?.totalUnitCount = max(
      (progress?.completedUnitCount ?? 0) + Int64(records.count), progress?.totalUnitCount ?? 0)
    inFlight = Task.detached { [self] in
      try await runOnQueue { [progress] in
        try self.upsert.write(records, { self.isCancelled }, committed: { progress?.completedUnitCount += Int64($0) })
      }
    }
  }

  /// Waits for the last batch, and deletes the rows that no record named.
  func finish(removing removal: UpsertRemoval<Model>) async throws {
    try await awaitInFlight()
    inFlight = Task.detached { [self] in
      try await runOnQueue { try self.upsert.finish(removal) { self.isCancelled } }
    }
    try await awaitInFlight()
  }

  /// Cancels the batch in progress, waits until it has stopped, and ends the upsert.
  func abandon() async {
    isAbandoned.withLock { $0 = true }
    try? await awaitInFlight()
    try? await runOnQueue { self.upsert.abandon() }
  }

  private func awaitInFlight() async throws {
    guard let task = inFlight else { return }
    inFlight = nil
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      isAbandoned.withLock { $0 = true }
    }
  }

  private func runOnQueue(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }
}
