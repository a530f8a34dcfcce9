// Additions to Apple's API. The names are Core Data's.

/// The policy for unsaved edits of a row that another context has saved meanwhile.
///
/// ```swift
/// context.mergePolicy = .error
/// do {
///   try context.save()
/// } catch let error as SaveError where error.code == .mergeConflict {
///   context.rollback()  // and show the stored values
/// }
/// ```
///
/// A conflict is detected by the row's version, whatever the values. Properties that were not edited here follow the store,
/// except under ``overwrite``. To-many relationships are merged member by member under each policy: the list contains the
/// additions of both sides. If another context has deleted the row, its edits are dropped; under ``error`` the save throws
/// ``SaveError`` with ``SaveError/Code/rowDeleted``.
public enum MergePolicy: String, Sendable, CaseIterable {
  /// The save throws ``SaveError/Code/mergeConflict`` and writes nothing. The object keeps its edits until a rollback or a
  /// change of the policy. The deletion of a row that another context has changed is refused, too.
  case error
  /// For a property that both contexts have changed, the stored value stays and the edit is dropped.
  case mergeByPropertyStoreTrump
  /// For a property that both contexts have changed, the edit is saved. The default.
  case mergeByPropertyObjectTrump
  /// The save writes all attributes of the object, including those that only another context has changed. Values stored
  /// outside the row (`.externalStorage`) are written only if they were edited. Relationships that were not edited follow
  /// the store, since both ends must agree.
  case overwrite
}
