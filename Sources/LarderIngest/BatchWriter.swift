internal import Dispatch
internal import Foundation
internal import LarderData
internal import LarderSQLite
internal import Synchronization

/// Writes batches one after the other on a queue of its own, while the next batch is being read.
// @unchecked: only the queue uses the upsert; the other mutable state is atomic or behind the condition's lock.
final class BatchWriter<Model: PersistentModel, Record: Sendable>: @unchecked Sendable {
  private let queue = DispatchQueue(label: "larder.ingest.write", qos: .userInitiated)
  /// One batch is being written, one waits, and one is being filled.
  private let batchSlots = DispatchSemaphore(value: 2)
  private let upsert: BulkUpsert<Model, Record>
  private let removal: UpsertRemoval<Model>
  private let progress: Progress?
  private let isCancelled = Atomic(false)
  private let hasFailed = Atomic(false)
  /// The condition that is signalled when the state below changes.
  private let condition = NSCondition()
  /// Batches that are not yet dequeued, behind the condition's lock.
  private var pendingBatches: [RecordBatch<Record>] = []
  /// The state of the reader, behind the condition's lock.
  private var readingState = ReadingState.waiting(since: .now)
  private let demand = Atomic(false)
  /// Changed only on the queue.
  private var failure: (any Error)?

  init(_ upsert: BulkUpsert<Model, Record>, _ removal: UpsertRemoval<Model>, _ progress: Progress?) {
    self.upsert = upsert
    self.removal = removal
    self.progress = progress
  }

  /// Whether no further records will be written.
  var hasStopped: Bool {
    hasFailed.load(ordering: .relaxed) || isCancelled.load(ordering: .relaxed) || progress?.isCancelled == true
  }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Whether the writer waits for the next records, so that a batch is wanted before it is full.
  var hasDemand: Bool { demand.load(ordering: .relaxed) }

  /// Enqueues a batch. Waits while two batches are not yet written.
  func enqueue(_ batch: RecordBatch<Record>) {
    batchSlots.wait()
    withCondition { pendingBatches.append(batch) }
    queue.async { [self] in writePendingBatches() }
  }

  private enum ReadingState {
    /// The reader processes bytes that have arrived.
    case reading
    /// The reader waits for the next bytes.
    case waiting(since: ContinuousClock.Instant)
    case ended
  }

  /// Records whether the reader is processing bytes or waiting for them.
  func setReading(_ isReading: Bool) { withCondition { readingState = isReading ? .reading : .waiting(since: .now) } }

  /// Records that no more records will come.
  func finishReading() { withCondition { readingState = .ended } }

  private func withCondition(_ body: () -> Void) {
    condition.lock()
    body()
    condition.signal()
    condition.unlock()
  }

  /// The time for which a transaction is kept open for records that are being read. A few hundred records take a tenth
  /// of it.
  private static var flushTimeout: Duration { .milliseconds(2) }
  /// The same limit for bytes that have not arrived: it is enough for bytes that a task is about to deliver, and too
  /// short for a network.
  private static var inputTimeout: Duration { .microseconds(300) }

  private func dequeue() -> RecordBatch<Record>? {
    condition.lock()
    defer { condition.unlock() }
    return pendingBatches.isEmpty ? nil : pendingBatches.removeFirst()
  }

  /// Returns the next batch, and waits if that batch is being read now or if its bytes are about to arrive: a short
  /// document is written in one transaction while its second half is read.
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

  /// Returns the remaining time for which to wait for the next records; `nil` to stop waiting.
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

  /// Writes the pending batches, and batches that are being read meanwhile.
  private func writePendingBatches() {
    var next = dequeue()
    while let batch = next {
      let isAll = writeTransaction(startingWith: batch)
      batchSlots.signal()
      next = isAll ? nil : dequeueWaiting()
    }
  }

  /// Writes a batch. A batch that arrives meanwhile joins the same transaction, unless that has lasted long enough.
  ///
  /// - Returns: Whether nothing remained to be written.
  private func writeTransaction(startingWith first: RecordBatch<Record>) -> Bool {
    guard failure == nil else { return true }
    // Byte counts: of the batches that are written but not committed, and of the batch that is being written.
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

  /// Waits for the last batch, and finishes the upsert.
  ///
  /// - Parameter problem: The error that ended the stream early, if any.
  /// - Returns: The report of the upsert.
  /// - Throws: The first error of a write, `problem`, or a `CancellationError`.
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
