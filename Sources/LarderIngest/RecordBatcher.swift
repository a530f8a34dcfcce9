internal import LarderData
internal import LarderJSON

/// Reads records out of a stream's bytes and collects them in batches.
///
/// Used by one thread at a time.
final class RecordBatcher<Model: PersistentModel, Record: Sendable> {
  private let reader: JSONElementReader
  private let readRecord: (inout JSONReader) throws -> Record
  private let writer: BatchWriter<Model, Record>
  // Not checked for overlapping access, since it is touched for each record: one thread uses the reader, and what reads a
  // record, a user's own code maybe, has no way to it.
  @exclusivity(unchecked) private var batch = RecordBatch<Record>()
  /// The place of the next element.
  @exclusivity(unchecked) private var elementIndex = 0
  /// Whether the writer has been given anything.
  private var hasFlushed = false
  /// Why the stream cannot be read any further.
  private(set) var failure: (any Error)?

  init<Chunks: AsyncSequence>(_ elements: JSONElementSequence<Chunks, Record>, _ writer: BatchWriter<Model, Record>) {
    reader = elements.makeReader()
    readRecord = elements.makeReadFunction()
    self.writer = writer
  }

  /// Whether records wait to be handed on.
  var hasRecords: Bool { !batch.isEmpty }

  /// Reads what has come as a whole.
  func process(_ bytes: [UInt8]) {
    guard failure == nil else { return }
    do {
      try reader.feed(bytes)
      try readElements()
    } catch {
      failure = error
    }
  }

  /// Reads the rest, and hands on what there is.
  func finish() {
    if failure == nil {
      reader.finish()
      do { try readElements() } catch { failure = error }
    }
    flush()
  }

  /// Hands on what there is. Waits while as much as there may be waits to be written.
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

  /// - Returns: Whether there was one.
  private func readElement() throws -> Bool {
    let count = batch.records.count
    // Asked first: what is not specialised costs as much for no element as for one.
    func forget() { if batch.records.count > count { batch.records.removeLast(batch.records.count - count) } }
    do {
      let step = try reader.next { reader in
        // It is asked again for an element that had not come as a whole.
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
