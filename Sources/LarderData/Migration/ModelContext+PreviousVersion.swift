// Beyond Apple's API.

extension ModelContext {
  /// In the `didMigrate` of a custom stage: a context of the models as they were before the stage, to read from.
  ///
  /// ```swift
  /// didMigrate: { context in
  ///   guard let former = try context.formerContext() else { return }
  ///   for old in try former.fetch(FetchDescriptor<TripsV1.Trip>()) {
  ///     let new = try context.existingModel(for: old.persistentModelID, as: TripsV2.Trip.self)
  ///     new.nights = old.end - old.start
  ///   }
  /// }
  /// ```
  ///
  /// Objects that were carried over have the same identifiers in both. What `willMigrate` has saved is there. The rows are
  /// copied to a file beside the store the first time that it is asked for, so ask before you save; the context is of no
  /// use after the stage.
  ///
  /// - Returns: nil in a context that is not of such a stage.
  /// - Throws: ``StoreError`` where the copy cannot be made.
  public func previousContext() throws -> ModelContext? {
    try makePreviousContext?()
  }
}
