// Larder's own API: SwiftData has live results for views and observers, but no asynchronous sequences of them.

extension ModelContext {
  /// Returns an asynchronous sequence of a fetch descriptor's results: the current results at once, and new results whenever a
  /// commit or a pending change of this context changes the matching models, their order or their saved values.
  ///
  /// ```swift
  /// for try await trips in context.liveResults(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)])) {
  ///   show(trips)
  /// }
  /// ```
  ///
  /// Iterate on the context's actor. Changes that arrive while the loop's body runs are combined into one element. An element
  /// never shows a state between two commits. The sequence ends when its task is cancelled.
  ///
  /// - Parameter descriptor: The models to fetch, and their order.
  /// - Throws: The iterator throws the errors of ``fetch(_:)``, and then ends.
  public func liveResults<T>(_ descriptor: FetchDescriptor<T> = FetchDescriptor()) -> LiveResults<T> {
    LiveResults(context: self, descriptor: descriptor)
  }

  /// Returns an asynchronous sequence like ``liveResults(_:)`` whose elements also contain the difference from the previous
  /// results. In the first element, all models are inserted.
  ///
  /// ```swift
  /// for try await change in context.liveChanges(FetchDescriptor<Trip>()) {
  ///   send(change.difference, updated: change.updated)
  /// }
  /// ```
  ///
  /// - Parameter descriptor: The models to fetch, and their order.
  /// - Throws: The iterator throws the errors of ``fetch(_:)``, and then ends.
  public func liveChanges<T>(_ descriptor: FetchDescriptor<T> = FetchDescriptor()) -> LiveChanges<T> {
    LiveChanges(context: self, descriptor: descriptor)
  }
}
