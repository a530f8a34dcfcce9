public import Foundation
public import LarderData
public import LarderJSON

extension ModelContainer {
  /// Reads elements from a JSON stream and upserts them by a key while the rest of the stream arrives.
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
  /// Three steps run at the same time: the caller's task awaits chunks, one thread reads records from them, and another
  /// writes the records. Each step waits until the next one can accept more, so that memory use stays at some
  /// megabytes, however long the stream is.
  ///
  /// Rows are written as by `upsert(_:into:by:author:removing:progress:mapping:)`: in a series of saves, each of which
  /// delays other writers by 50 milliseconds at most. Records are in the store some 100 milliseconds after they arrive,
  /// even if the stream continues for hours.
  ///
  /// An element that is valid JSON but not a valid `Record`, or that cannot be stored, is skipped and listed in the
  /// report. If the JSON text itself is invalid or ends too soon, the elements before the error are stored and nothing
  /// is removed; the error is thrown when the next chunk arrives, at the latest. After any error the same call can be
  /// made again: rows that are already stored are left unchanged.
  ///
  /// - Parameters:
  ///   - elements: The stream, and the path of the elements in it.
  ///   - model: The model that the elements become.
  ///   - key: The attributes that identify a row: one that is `.unique`, or those that `#Unique` names together.
  ///   - author: The author of the changes; see `ModelContext.author`.
  ///   - removal: The rows to remove, among those that no element names, after the stream has ended without an error.
  ///   - progress: Counts the bytes whose elements are stored; set its `totalUnitCount` to the length of the response.
  ///     If it is cancelled, the call throws a `CancellationError` when the next chunk arrives; cancelling the task
  ///     ends the call at once.
  ///   - isolation: The actor on which the chunks are awaited: the caller's.
  ///   - mapping: Sets the value of each property; called once.
  /// - Returns: A report of the inserted, updated, unchanged and failed elements. The index of a failure is the
  ///   position of its element in the stream, from 0.
  /// - Throws: `JSONError`; the stream's own error; `SwiftDataError.modelValidationFailure` if the mapping is invalid;
  ///   `StoreError`; `CancellationError`.
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
        // The stream may report its cancellation with an error of its own.
        throw Task.isCancelled ? CancellationError() : error
      }
      return try await reader.finish()
    } onCancel: {
      writer.cancel()
    }
  }
}
