public import Foundation
public import LarderData
public import LarderJSON

extension ModelContainer {
  /// Takes the elements out of a JSON stream and upserts them by a key, while the rest of it is on its way.
  ///
  /// ```swift
  /// let response = try await client.stream(.get("/feed"))
  /// let features = JSONElementSequence(of: Feature.self, at: "features[*]", in: response.body)
  /// let report = try await container.ingest(features, into: Quake.self, by: \.code) { quake in
  ///   quake.set(\.code) { $0.id }
  ///   quake.set(\.magnitude) { $0.properties.mag }
  /// }
  /// print(report.inserted, report.updated, report.unchanged)
  /// ```
  ///
  /// Three things happen at once: chunks arrive where this is called from, a thread reads records out of them, and another
  /// writes these. Each waits for the next one to take what it has, so that some megabytes are in memory at most, however
  /// long the stream is.
  ///
  /// Rows are written as by `upsert(_:into:by:author:removing:progress:mapping:)`: in a series of saves, each of which others
  /// wait for 50 milliseconds at most. What has come is in the store some 100 milliseconds later,
  /// though the stream goes on for hours.
  ///
  /// An element that is JSON, but not what was asked for, or that cannot be stored, is left out and is in the report. Where
  /// the text itself is wrong, or ends too soon, what came before is stored, and nothing is removed; then the error is thrown,
  /// at the latest when the next chunk comes.
  /// After any error the same call can be made again: rows that are stored are unchanged then.
  ///
  /// - Parameters:
  ///   - elements: The stream, and what to read of it.
  ///   - model: What elements become.
  ///   - key: What tells them apart: an attribute that is `.unique`, or those that `#Unique` names together.
  ///   - author: Who makes the changes; see `ModelContext.author`.
  ///   - removal: What becomes of rows that no element names, once the stream has ended as it should.
  ///   - progress: Counts bytes whose elements are stored; set its `totalUnitCount` to the length of the response. Once it is
  ///     cancelled, the call ends with a `CancellationError` when the next chunk comes; cancelling the task ends it at once.
  ///   - isolation: Where the chunks are awaited: with the caller.
  ///   - mapping: What each property is given; called once.
  /// - Returns: What was done. The index of a failure is the place of its element in the stream, from 0.
  /// - Throws: `JSONError`; what the chunks throw; `SwiftDataError.modelValidationFailure` for a
  ///   mapping that cannot be; `StoreError`; `CancellationError`.
  @discardableResult
  public func ingest<Model: PersistentModel, Chunks: AsyncSequence, Record: Sendable>(
    _ elements: JSONElementSequence<Chunks, Record>, into model: Model.Type, by key: PartialKeyPath<Model>...,
    author: String? = nil, removing removal: UpsertRemoval<Model> = .none, progress: Progress? = nil,
    isolation: isolated (any Actor)? = #isolation, mapping: (inout UpsertMapping<Model, Record>) throws -> Void
  ) async throws -> UpsertReport {
    let upsert = try bulkUpsert(by: key, author: author, recordsKeys: removal.removesAny, mapping)
    let writer = BatchWriter(upsert, removal, progress)
    let reader = ChunkReader(RecordBatcher(elements, writer), writer)
    return try await withTaskCancellationHandler {
      do {
        var chunks = elements.chunks.makeAsyncIterator()
        while let chunk = try await chunks.next(isolation: isolation) {
          reader.feed(chunk)
          guard await reader.waitForCapacity() else { break }
        }
        try Task.checkCancellation()
      } catch {
        await reader.abort(error)
        // What brings the chunks may say that it was cancelled in a way of its own.
        throw Task.isCancelled ? CancellationError() : error
      }
      return try await reader.finish()
    } onCancel: {
      writer.cancel()
    }
  }
}
