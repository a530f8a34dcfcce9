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
  private let room = DispatchSemaphore(value: 2)
  private let upsert: BulkUpsert<Model, Record>
  private let removal: UpsertRemoval<Model>
  private let progress: Progress?
  private let isCancelled = Atomic(false)
  private let hasFailed = Atomic(false)
  /// Of what is below, that it has changed.
  private let change = NSCondition()
  /// Batches that nobody has taken, behind the condition's lock.
  private var waiting: [RecordBatch<Record>] = []
  /// What the reader does, behind the condition's lock.
  private var reading = Reading.awaits(since: .now)
  private let hunger = Atomic(false)
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

  /// Whether the writer waits for the next records, so that they are wanted before a batch is full.
  var isHungry: Bool { hunger.load(ordering: .relaxed) }

  /// Has a batch written once those before it are. Waits while two are not.
  func write(_ batch: RecordBatch<Record>) {
    room.wait()
    changing { waiting.append(batch) }
    queue.async { [self] in writeOn() }
  }

  private enum Reading {
    /// Bytes that have come.
    case reads
    /// The next ones.
    case awaits(since: ContinuousClock.Instant)
    case ended
  }

  /// Whether the next records are being read, or have not come yet.
  func noteReading(_ isReading: Bool) { changing { reading = isReading ? .reads : .awaits(since: .now) } }

  /// Says that no more records come.
  func noteEnd() { changing { reading = .ended } }

  private func changing(_ body: () -> Void) {
    change.lock()
    body()
    change.signal()
    change.unlock()
  }

  /// How long a transaction is kept open for records that are being read. A few hundred of them are read in a tenth of it.
  private static var longestHunger: Duration { .milliseconds(2) }
  /// The same for bytes that have not come: those which a task is just about to bring are worth it, a network's are not.
  private static var longestPause: Duration { .microseconds(300) }

  private func takeNext() -> RecordBatch<Record>? {
    change.lock()
    defer { change.unlock() }
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  /// The next batch, also where it is being read at this moment, or the bytes of it have not come just yet: a short document
  /// is written in one transaction, while its second half is read.
  private func takeSoon() -> RecordBatch<Record>? {
    change.lock()
    defer { change.unlock() }
    if waiting.isEmpty {
      hunger.store(true, ordering: .relaxed)
      let end = ContinuousClock.now + BatchWriter.longestHunger
      while waiting.isEmpty, let pause = patience(until: end), change.wait(until: Date(timeIntervalSinceNow: pause)) {}
      hunger.store(false, ordering: .relaxed)
    }
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  /// How long the next records are worth waiting for; nil if they are not.
  private func patience(until end: ContinuousClock.Instant) -> TimeInterval? {
    let last: ContinuousClock.Instant
    switch reading {
    case .reads: last = end
    case .awaits(let began): last = min(end, began + BatchWriter.longestPause)
    case .ended: return nil
    }
    let rest = last - .now
    return rest > .zero ? rest / .seconds(1) : nil
  }

  /// Writes what waits, and what is being read meanwhile.
  private func writeOn() {
    var next = takeNext()
    while let batch = next {
      let isAll = write(beginningWith: batch)
      room.signal()
      next = isAll ? nil : takeSoon()
    }
  }

  /// Writes a batch; one that comes meanwhile goes into the same transaction, unless that has lasted long enough.
  ///
  /// - Returns: Whether nothing was left to be written.
  private func write(beginningWith first: RecordBatch<Record>) -> Bool {
    guard failure == nil else { return true }
    // Of batches that are written and not committed yet, and of the one that is being written.
    var (written, current) = (0, first.bytes)
    var isAll = false
    do {
      upsert.noteUnread(first.failures)
      try upsert.write(
        first.records, { self.isOver },
        more: {
          guard let next = takeSoon() else {
            isAll = true
            return nil
          }
          room.signal()
          upsert.noteUnread(next.failures)
          written += current
          current = next.bytes
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
