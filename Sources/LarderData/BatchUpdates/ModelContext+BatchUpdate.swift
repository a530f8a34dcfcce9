// An addition to Apple's API: updates of rows by a predicate, without loading objects.

public import Foundation

extension ModelContext {
  /// Changes every model that matches, loaded or not, with one statement, and saves.
  ///
  /// ```swift
  /// let count = try context.updateAndSave(Quake.self, where: #Predicate { $0.magnitude < 0 }) {
  ///   $0.set(\.magnitude, to: 0)
  ///   $0.add(1, to: \.revision)
  /// }
  /// ```
  ///
  /// **This is a save.** The context's pending changes are written first, then the rows are updated, in one transaction. So
  /// the predicate sees the same data as the context, and either everything is stored or nothing. A later rollback
  /// reverts none of it. `willSave` and `didSave` are posted and list the updated rows. When the function returns,
  /// loaded models have their new values and their observers have been notified.
  ///
  /// Rows that already have the values are not written. The update works on stored attributes: the code of a
  /// property's setter does not run.
  ///
  /// - Parameters:
  ///   - model: The class of the models to update.
  ///   - predicate: The condition that a model must meet; `nil` for all models.
  ///   - changes: A closure that records the values to set and the amounts to add.
  /// - Returns: The number of updated rows.
  /// - Throws: The errors of ``save()`` and ``fetch(_:)``; ``SaveError`` for a value without a stored form, and for two rows
  ///   that would share a unique key. In case of an error nothing is written, and pending changes stay pending.
  @discardableResult
  public func updateAndSave<T: PersistentModel>(
    _ model: T.Type, where predicate: Predicate<T>? = nil, changes: (inout BatchUpdate<T>) throws -> Void
  ) throws -> Int {
    var update = BatchUpdate<T>()
    try changes(&update)
    if let problem = update.problem { throw problem }
    guard !update.columns.isEmpty else { return 0 }
    try core.requireNoTransaction(T._$layout.entityName, "updated by a predicate")
    let writing = try BatchUpdateWriter(core, update, predicate)
    guard !core.isSaving else {
      throw SaveError(
        .savingNotAllowed, entityName: T._$layout.entityName,
        "\(T._$layout.entityName) cannot be updated while a save is under way, for an update is a save itself. Change "
          + "the models instead, or update after didSave.")
    }
    guard !core.isRollingBack else {
      throw SaveError(
        .savingNotAllowed, entityName: T._$layout.entityName,
        "\(T._$layout.entityName) cannot be updated while a rollback is under way, for an update saves what is just being taken "
          + "back. Update after it.")
    }
    try core.save(with: writing)
    return writing.rows.count
  }
}
