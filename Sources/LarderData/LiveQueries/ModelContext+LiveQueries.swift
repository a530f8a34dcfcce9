// Larder's own: Apple's API has live results for views and observers, and no sequences of them.

extension ModelContext {
  /// The models that a descriptor asks for: at once, and again whenever a commit or what is pending here changes which they
  /// are, their order, or what has been saved of them.
  ///
  /// ```swift
  /// for try await trips in context.liveResults(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)])) {
  ///   show(trips)
  /// }
  /// ```
  ///
  /// Iterate where the context belongs. Changes that come while the loop's body runs are seen together, and never a
  /// state between two commits. The sequence ends when its task is cancelled.
  ///
  /// - Throws: The iterator, as ``fetch(_:)``; it has then come to its end.
  public func liveResults<T>(_ descriptor: FetchDescriptor<T> = FetchDescriptor()) -> LiveResults<T> {
    LiveResults(context: self, descriptor: descriptor)
  }

  /// As ``liveResults(_:)``, each with what changed since the one before. The first has everything inserted.
  ///
  /// ```swift
  /// for try await change in context.liveChanges(FetchDescriptor<Trip>()) {
  ///   send(change.difference, updated: change.updated)
  /// }
  /// ```
  public func liveChanges<T>(_ descriptor: FetchDescriptor<T> = FetchDescriptor()) -> LiveChanges<T> {
    LiveChanges(context: self, descriptor: descriptor)
  }
}
