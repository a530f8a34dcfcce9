internal import Dispatch
internal import LarderData
internal import LarderSQLite
import LarderSupport
internal import Synchronization

/// Has chunks read on a thread of its own while the next ones are awaited.
// @unchecked: the reader is used by the queue alone; the rest is behind the lock.
final class ChunkReader<Model: PersistentModel, Record: Sendable>: @unchecked Sendable {
  private struct State: Sendable {
    /// What has come and nobody has taken.
    var pending: [UInt8] = []
    var isReading = false
    /// Who waits for what is pending to be taken.
    var capacityWaiter: CheckedContinuation<Void, Never>?
    /// Whether it is seen to that records do not wait too long.
    var isFlushScheduled = false
  }

  private let queue = DispatchQueue(label: "larder.ingest.read", qos: .userInitiated)
  private let reader: RecordBatcher<Model, Record>
  private let writer: BatchWriter<Model, Record>
  private let state = Locked(State())
  /// Whether the stream cannot be read any further.
  private let hasFailed = Atomic(false)

  /// 256 KiB: as much is taken at once where the network is faster.
  private static var bufferCapacity: Int { 256 << 10 }
  /// 100 ms.
  private static var flushInterval: DispatchTimeInterval { .milliseconds(100) }

  init(_ reader: RecordBatcher<Model, Record>, _ writer: BatchWriter<Model, Record>) {
    self.reader = reader
    self.writer = writer
  }

  /// Gives it the next bytes.
  func feed(_ bytes: some Sequence<UInt8>) {
    state.withLock { state in
      let isCopied: Void? = bytes.withContiguousStorageIfAvailable { state.pending.append(contentsOf: $0) }
      if isCopied == nil { state.pending.append(contentsOf: bytes) }
      if state.isReading { return }
      state.isReading = true
      queue.async { self.readPendingBytes() }
    }
  }

  /// Waits while there is no room for more bytes.
  ///
  /// - Returns: Whether more are wanted.
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

  /// Reads what there is, until there is no more.
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

  /// Records that came before a pause are written in it.
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

  /// All has come: what waits is read and written.
  func finish() async throws -> UpsertReport {
    let problem = await runOnQueue {
      self.reader.finish()
      self.writer.finishReading()
      return self.reader.failure
    }
    return try await writer.finish(problem)
  }

  /// The rest does not come, for a reason that the caller has: what has been read is written all the same.
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
