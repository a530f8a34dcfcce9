internal import Dispatch
internal import LarderData
internal import LarderSQLite
import LarderSupport
internal import Synchronization

/// Reads chunks on a queue of its own while the next ones are awaited.
// @unchecked: only the queue uses the reader; the rest is behind the lock.
final class ChunkReader<Model: PersistentModel, Record: Sendable>: @unchecked Sendable {
  private struct State: Sendable {
    /// Bytes that have arrived and are not yet read.
    var pending: [UInt8] = []
    var isReading = false
    /// The continuation of a caller that waits for room in the buffer.
    var capacityWaiter: CheckedContinuation<Void, Never>?
    /// Whether a flush is scheduled, so that records do not wait too long.
    var isFlushScheduled = false
  }

  private let queue = DispatchQueue(label: "larder.ingest.read", qos: .userInitiated)
  private let reader: RecordBatcher<Model, Record>
  private let writer: BatchWriter<Model, Record>
  private let state = Locked(State())
  /// Whether the stream cannot be read any further.
  private let hasFailed = Atomic(false)

  /// 256 KiB: the maximum to buffer if the network is faster than the reader.
  private static var bufferCapacity: Int { 256 << 10 }
  /// 100 ms: the longest that a record waits for its batch.
  private static var flushInterval: DispatchTimeInterval { .milliseconds(100) }

  init(_ reader: RecordBatcher<Model, Record>, _ writer: BatchWriter<Model, Record>) {
    self.reader = reader
    self.writer = writer
  }

  /// Appends the next bytes to the buffer.
  func feed(_ bytes: some Sequence<UInt8>) {
    state.withLock { state in
      let isCopied: Void? = bytes.withContiguousStorageIfAvailable { state.pending.append(contentsOf: $0) }
      if isCopied == nil { state.pending.append(contentsOf: bytes) }
      if state.isReading { return }
      state.isReading = true
      queue.async { self.readPendingBytes() }
    }
  }

  /// Waits while the buffer is full.
  ///
  /// - Returns: Whether more bytes are wanted.
  func waitForCapacity() async -> Bool {
    let isFull = state.withLock { $0.pending.count >= ChunkReader.bufferCapacity }
    if isFull {
      await withCheckedContinuation { continuation in
        let hasRoom = state.withLock { state in
          if state.pending.count < ChunkReader.bufferCapacity { return true }
          state.capacityWaiter = continuation
          return false
        }
        if hasRoom { continuation.resume() }
      }
    }
    return !writer.hasStopped && !hasFailed.load(ordering: .relaxed)
  }

  /// Reads the buffered bytes until the buffer is empty.
  private func readPendingBytes() {
    writer.setReading(true)
    defer { writer.setReading(false) }
    while true {
      let (bytes, waiting) = state.withLock { state in
        let taken = (state.pending, state.capacityWaiter)
        state.pending = []
        state.capacityWaiter = nil
        if taken.0.isEmpty { state.isReading = false }
        return taken
      }
      waiting?.resume()
      if bytes.isEmpty { break }
      reader.process(bytes)
      if reader.failure != nil { hasFailed.store(true, ordering: .relaxed) }
    }
    guard reader.hasRecords else { return }
    if writer.hasDemand { reader.flush() } else { scheduleFlush() }
  }

  /// Schedules a flush, so that records that came before a pause are written during it.
  private func scheduleFlush() {
    let isTimed = state.withLock { state in
      defer { state.isFlushScheduled = true }
      return state.isFlushScheduled
    }
    if isTimed { return }
    queue.asyncAfter(deadline: .now() + ChunkReader.flushInterval) { [self] in
      state.withLock { $0.isFlushScheduled = false }
      reader.flush()
    }
  }

  /// Reads and writes the remaining bytes after the end of the stream, and returns the report.
  func finish() async throws -> UpsertReport {
    let problem = await runOnQueue {
      self.reader.finish()
      self.writer.finishReading()
      return self.reader.failure
    }
    return try await writer.finish(problem)
  }

  /// Ends the ingest after an error of the stream, which the caller throws. The records that have been read are still
  /// written.
  func abort(_ error: any Error) async {
    await runOnQueue {
      self.reader.flush()
      self.writer.finishReading()
    }
    _ = try? await writer.finish(error)
  }

  private func runOnQueue<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
  }
}
