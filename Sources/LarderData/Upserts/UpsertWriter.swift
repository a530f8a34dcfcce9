internal import Dispatch
import Foundation
import LarderSQLite
import LarderSupport

/// Writes batches of an upsert on a thread of its own, one after the other, while the next one is awaited.
// @unchecked: the upsert is used by the queue alone, and what is under way by the one who awaits this writer's methods.
final class UpsertWriter<Model: PersistentModel, Record: Sendable>: @unchecked Sendable {
  private let queue = DispatchQueue(label: "larder.upsert", qos: .userInitiated)
  private let upsert: BulkUpsert<Model, Record>
  private let progress: Progress?
  private let isOver = Locked(false)
  private var underWay: Task<Void, any Error>?

  init(_ upsert: BulkUpsert<Model, Record>, _ progress: Progress?) {
    self.upsert = upsert
    self.progress = progress
  }

  private var isCancelled: Bool { progress?.isCancelled == true || isOver.withLock { $0 } }

  /// Waits for the batch before, and has this one written.
  func write(_ records: [Record]) async throws {
    try await finish()
    if records.isEmpty { return }
    progress?.totalUnitCount = max(
      (progress?.completedUnitCount ?? 0) + Int64(records.count), progress?.totalUnitCount ?? 0)
    underWay = Task.detached { [self] in
      try await onQueue { [progress] in
        try self.upsert.write(records, { self.isCancelled }, committed: { progress?.completedUnitCount += Int64($0) })
      }
    }
  }

  /// Waits for the last batch, and removes what no record named.
  func end(_ removal: UpsertRemoval<Model>) async throws {
    try await finish()
    underWay = Task.detached { [self] in
      try await onQueue { try self.upsert.end(removal) { self.isCancelled } }
    }
    try await finish()
  }

  /// Waits for what is under way to stop.
  func abandon() async {
    isOver.withLock { $0 = true }
    try? await finish()
    try? await onQueue { self.upsert.abandon() }
  }

  private func finish() async throws {
    guard let task = underWay else { return }
    underWay = nil
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      isOver.withLock { $0 = true }
    }
  }

  private func onQueue(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }
}
