internal import Dispatch
internal import Foundation
internal import LarderData
internal import LarderSQLite
internal import Synchronization

/// Writes batches on a thread of its own, one after the other, while the next one is read.
// @unchecked: the upsert is used by the queue alone, and what else changes is atomic or behind the condition's lock.
final class BatchWriter<Model: PersistentModel, Record: Sendable>: @unchecked Sendable {
  private let queue = DispatchQueue(label: "larder.ingest.write", qos: .userInitiated)
  /// One batch is written, one waits, one is filled.
  private let batchSlots = DispatchSemaphore(value: 2)
  private let upsert: BulkUpsert<Model, Record>
  private let removal: UpsertRemoval<Model>
  private let progress: Progress?
  private let isCancelled = Atomic(false)
  private let hasFailed = Atomic(false)
  /// Of what is below, that it has changed.
  private let condition = NSCondition()
  /// Batches that nobody has taken, behind the condition's lock.
  private var pendingBatches: [RecordBatch<Record>] = []
  /// What the reader does, behind the condition's lock.
  private var readingState = ReadingState.waiting(since: .now)
  private let demand = Atomic(false)
  /// Changed on the queue alone.
  private var failure: (any Error)?

  init(_ upsert: BulkUpsert<Model, Record>, _ removal: UpsertRemoval<Model>, _ progress: Progress?) {
    self.upsert = upsert
    self.removal = removal
    self.progress = progress
  }

  /// Whether nothing that is read will be written any more.
  var hasStopped: Bool {
    hasFailed.load(ordering: .relaxed) || isCancelled.load(ordering: .relaxed) || progress?.isCancelled == true
  }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Whether the writer waits for the next records, so that they are wanted before a batch is full.
  var hasDemand: Bool { demand.load(ordering: .relaxed) }

  /// Has a batch written once those before it are. Waits while two are not.
  func enqueue(_ batch: RecordBatch<Record>) {
    batchSlots.wait()
    withCondition { pendingBatches.append(batch) }
    queue.async { [self] in writePendingBatches() }
  }

  private enum ReadingState {
    /// Bytes that have come.
    case reading
    /// The next ones.
    case waiting(since: ContinuousClock.Instant)
    case ended
  }

  /// Whether the next records are being read, or have not come yet.
  func setReading(_ isReading: Bool) { withCondition { readingState = isReading ? .reading : .waiting(since: .now) } }

  /// Says that no more records come.
  func finishReading() { withCondition { readingState = .ended } }

  private func withCondition(_ body: () -> Void) {
    condition.lock()
    body()
    condition.signal()
    condition.unlock()
  }

  /// How long a transaction is kept open for records that are being read. A few hundred of them are read in a tenth of it.
  private static var flushTimeout: Duration { .milliseconds(2) }
  /// The same for bytes that have not come: those which a task is just about to bring are worth it, a network's are not.
  private static var inputTimeout: Duration { .microseconds(300) }

  private func dequeue() -> RecordBatch<Record>? {
    condition.lock()
    defer { condition.unlock() }
    return pendingBatches.isEmpty ? nil : pendingBatches.removeFirst()
  }

  /// The next batch, also where it is being read at this moment, or the bytes of it have not come just yet: a short document
  /// is written in one transaction, while its second half is read.
  private func dequeueWaiting() -> RecordBatch<Record>? {
    condition.lock()
    defer { condition.unlock() }
    if pendingBatches.isEmpty {
      demand.store(true, ordering: .relaxed)
      let end = ContinuousClock.now + BatchWriter.flushTimeout
      while pendingBatches.isEmpty, let pause = remainingWait(until: end),
        condition.wait(until: Date(timeIntervalSinceNow: pause))
      {}
      demand.store(false, ordering: .relaxed)
    }
    return pendingBatches.isEmpty ? nil : pendingBatches.removeFirst()
  }

  /// How long the next records are worth waiting for; nil if they are not.
  private func remainingWait(until end: ContinuousClock.Instant) -> TimeInterval? {
    let last: ContinuousClock.Instant
    switch readingState {
    case .reading: last = end
    case .waiting(let began): last = min(end, began + BatchWriter.inputTimeout)
    case .ended: return nil
    }
    let rest = last - .now
    return rest > .zero ? rest / .seconds(1) : nil
  }

  /// Writes what waits, and what is being read meanwhile.
  private func writePendingBatches() {
    var next = dequeue()
    while let batch = next {
      let isAll = writeTransaction(startingWith: batch)
      batchSlots.signal()
      next = isAll ? nil : dequeueWaiting()
    }
  }

  /// Writes a batch; one that comes meanwhile goes into the same transaction, unless that has lasted long enough.
  ///
  /// - Returns: Whether nothing was left to be written.
  private func writeTransaction(startingWith first: RecordBatch<Record>) -> Bool {
    guard failure == nil else { return true }
    // Of batches that are written and not committed yet, and of the one that is being written.
    var (written, current) = (0, first.byteCount)
    var isAll = false
    do {
      upsert.recordUnreadable(first.failures)
      try upsert.write(
        first.records, { self.hasStopped },
        more: {
          guard let next = dequeueWaiting() else {
            isAll = true
            return nil
          }
          batchSlots.signal()
          upsert.recordUnreadable(next.failures)
          written += current
          current = next.byteCount
          return next.records
        },
        committed: { _ in
          progress?.completedUnitCount += Int64(written)
          written = 0
        })
      progress?.completedUnitCount += Int64(written + current)
    } catch {
      failure = error
      hasFailed.store(true, ordering: .relaxed)
    }
    return isAll
  }

  /// Waits for the last batch, and ends the upsert.
  ///
  /// - Parameter problem: Why the stream did not come to its end.
  func finish(_ problem: (any Error)?) async throws -> UpsertReport {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        if let error = failure ?? problem ?? (hasStopped ? CancellationError() : nil) {
          upsert.abandon()
          return continuation.resume(throwing: error)
        }
        continuation.resume(
          with: Result {
            try upsert.finish(removal) { self.hasStopped }
            return upsert.report
          })
      }
    }
  }
}
