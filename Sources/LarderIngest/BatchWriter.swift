internal import Dispatch
internal import Foundation
internal import LarderData
internal import LarderSQLite
internal import Synchronization

/// Writes batches on a thread of its own, one after the other, while the next one is read.
// @unchecked: the upsert is used by the queue alone, and what else changes is atomic or behind the lock.
final class BatchWriter<Model: PersistentModel, Record: Sendable>: @unchecked Sendable {
  private let queue = DispatchQueue(label: "larder.ingest.write", qos: .userInitiated)
  /// One batch is written, one waits, one is filled.
  private let room = DispatchSemaphore(value: 2)
  private let upsert: BulkUpsert<Model, Record>
  private let removal: UpsertRemoval<Model>
  private let progress: Progress?
  private let isCancelled = Atomic(false)
  private let hasFailed = Atomic(false)
  private let waiting = Locked<[RecordBatch<Record>]>([])
  /// Changed on the queue alone.
  private var failure: (any Error)?

  init(_ upsert: BulkUpsert<Model, Record>, _ removal: UpsertRemoval<Model>, _ progress: Progress?) {
    self.upsert = upsert
    self.removal = removal
    self.progress = progress
  }

  /// Whether nothing that is read will be written any more.
  var isOver: Bool {
    hasFailed.load(ordering: .relaxed) || isCancelled.load(ordering: .relaxed) || progress?.isCancelled == true
  }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Has a batch written once those before it are. Waits while two are not.
  func write(_ batch: RecordBatch<Record>) {
    room.wait()
    waiting.withLock { $0.append(batch) }
    queue.async { [self] in writeOn() }
  }

  private func takeNext() -> RecordBatch<Record>? {
    waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }

  /// Writes what waits; a batch that comes meanwhile goes into the same transaction, unless others wait for its end.
  private func writeOn() {
    guard let first = takeNext() else { return }
    defer { room.signal() }
    guard failure == nil else { return }
    var bytes = first.bytes
    do {
      upsert.noteUnread(first.failures)
      try upsert.write(
        first.records, { self.isOver },
        more: {
          guard let next = takeNext() else { return nil }
          room.signal()
          upsert.noteUnread(next.failures)
          bytes += next.bytes
          return next.records
        })
      progress?.completedUnitCount += Int64(bytes)
    } catch {
      failure = error
      hasFailed.store(true, ordering: .relaxed)
    }
  }

  /// Waits for the last batch, and ends the upsert.
  ///
  /// - Parameter problem: Why the stream did not come to its end.
  func end(_ problem: (any Error)?) async throws -> UpsertReport {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        if let error = failure ?? problem ?? (isOver ? CancellationError() : nil) {
          upsert.abandon()
          return continuation.resume(throwing: error)
        }
        continuation.resume(
          with: Result {
            try upsert.end(removal) { self.isOver }
            return upsert.report
          })
      }
    }
  }
}
