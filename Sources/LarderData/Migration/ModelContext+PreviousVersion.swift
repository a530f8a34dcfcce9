// Beyond Apple's API.

extension ModelContext {
  /// Returns a context of the models before a stage, to read from. For the `didMigrate` closure of a custom stage.
  ///
  /// ```swift
  /// didMigrate: { context in
  ///   guard let former = try context.previousContext() else { return }
  ///   for old in try former.fetch(FetchDescriptor<TripsV1.Trip>()) {
  ///     let new = try context.existingModel(for: old.persistentModelID, as: TripsV2.Trip.self)
  ///     new.nights = old.end - old.start
  ///   }
  /// }
  /// ```
  ///
  /// Migrated objects have the same identifiers in both contexts. The context includes the changes that `willMigrate`
  /// saved. The first call copies the rows to a file next to the store, so call this before you save. The context must
  /// not be used after the stage.
  ///
  /// - Returns: `nil` in a context that does not belong to such a stage.
  /// - Throws: ``StoreError`` if the copy cannot be created.
  public func previousContext() throws -> ModelContext? {
    try makePreviousContext?()
  }
}
