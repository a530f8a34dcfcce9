// Beyond Apple's API: rows changed by a predicate, without objects.

public import Foundation

extension ModelContext {
  /// Changes every model that matches, whether it is loaded or not, by one statement.
  ///
  /// ```swift
  /// let count = try context.update(Quake.self, where: #Predicate { $0.magnitude < 0 }) {
  ///   $0.set(\.magnitude, to: 0)
  ///   $0.add(1, to: \.revision)
  /// }
  /// ```
  ///
  /// **This is a save.** What is pending in the context is written first, then the rows are changed, in one transaction:
  /// so the predicate sees what this context sees, and either all of it is stored or nothing. A rollback later takes
  /// nothing of it back. `willSave` and `didSave` are posted, and tell of the rows that changed. Models in hand have
  /// their new values when it returns, and those who observe them are told.
  ///
  /// Rows that have the values already are not written. Attributes count by what is stored: a setter's own code does
  /// not run.
  ///
  /// - Parameters:
  ///   - model: Which models.
  ///   - predicate: Which of them; all where it is nil.
  ///   - changes: What to set, and what to add.
  /// - Returns: How many rows were changed.
  /// - Throws: As ``save()`` and ``fetch(_:)``: ``SaveError`` for a value without a stored form, and for two rows that
  ///   would share a unique key. Nothing was written then, and what is pending still is.
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
