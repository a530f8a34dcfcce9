internal import LarderData
internal import LarderJSON

/// Reads records out of a stream's bytes and collects them in batches.
///
/// Used by one thread at a time.
final class RecordBatcher<Model: PersistentModel, Record: Sendable> {
  private let reader: JSONElementReader
  private let readRecord: (inout JSONReader) throws -> Record
  private let writer: BatchWriter<Model, Record>
  // Not checked for overlapping access, since it is accessed for each record: one thread uses the reader, and the code
  // that reads a record, possibly the user's own, cannot reach it.
  @exclusivity(unchecked) private var batch = RecordBatch<Record>()
  /// The position of the next element.
  @exclusivity(unchecked) private var elementIndex = 0
  /// Whether a batch has been passed to the writer.
  private var hasFlushed = false
  /// The error that ended the reading of the stream.
  private(set) var failure: (any Error)?

  init<Chunks: AsyncSequence>(_ elements: JSONElementSequence<Chunks, Record>, _ writer: BatchWriter<Model, Record>) {
    reader = elements.makeReader()
    readRecord = elements.makeReadFunction()
    self.writer = writer
  }

  /// Whether records wait to be passed to the writer.
  var hasRecords: Bool { !batch.isEmpty }

  /// Reads the elements that are complete with these bytes.
  func process(_ bytes: [UInt8]) {
    guard failure == nil else { return }
    do {
      try reader.feed(bytes)
      try readElements()
    } catch {
      failure = error
    }
  }

  /// Reads the rest of the stream, and passes the last batch to the writer.
  func finish() {
    if failure == nil {
      reader.finish()
      do { try readElements() } catch { failure = error }
    }
    flush()
  }

  /// Passes the batch to the writer. Waits while the writer's queue is full.
  func flush() {
    if batch.isEmpty { return }
    hasFlushed = true
    let full = batch
    batch = RecordBatch()
    batch.records.reserveCapacity(min(full.records.count, RecordBatch<Record>.maximumCount))
    writer.enqueue(full)
  }

  private func readElements() throws {
    while !writer.hasStopped {
      let began = reader.offset
      do {
        guard try readElement() else {
          batch.byteCount += reader.offset - began
          return
        }
      } catch let error where !reader.hasFailed {
        batch.failures.append(UpsertFailure(index: elementIndex, line: reader.line, error: error))
      }
      elementIndex += 1
      batch.byteCount += reader.offset - began
      if batch.isFull || batch.isWorthFlushing(after: elementIndex) && (!hasFlushed || writer.hasDemand) { flush() }
    }
  }

  /// Reads one element.
  ///
  /// - Returns: `false` if no complete element is available.
  private func readElement() throws -> Bool {
    let count = batch.records.count
    // Counted first: a closure that fails, or is called again, may have appended a record.
    func forget() { if batch.records.count > count { batch.records.removeLast(batch.records.count - count) } }
    do {
      let step = try reader.next { reader in
        // The closure is called again for an element that was incomplete.
        forget()
        batch.records.append(try readRecord(&reader))
      }
      if case .element = step { return true }
      forget()
      return false
    } catch {
      forget()
      throw error
    }
  }
}
