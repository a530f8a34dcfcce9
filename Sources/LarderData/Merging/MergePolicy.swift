// Beyond Apple's API. The names are Core Data's.

/// What becomes of edits that are not saved yet when somebody else has saved the same row meanwhile.
///
/// ```swift
/// context.mergePolicy = .error
/// do {
///   try context.save()
/// } catch let error as SaveError where error.code == .mergeConflict {
///   context.rollback()  // and show what is stored by now
/// }
/// ```
///
/// That somebody else has saved is found by the row's version, whatever the values. Properties that were not edited here
/// follow the store, but for ``overwrite``. To-many relationships are merged member by member under each policy: what was
/// added here and what was added there are both in the list. An edit of a row that somebody else has deleted goes with the
/// row; under ``error`` it is a ``SaveError`` with ``SaveError/Code/rowDeleted``.
public enum MergePolicy: String, Sendable, CaseIterable {
  /// The save is refused with ``SaveError/Code/mergeConflict``: nothing is written, and the object keeps its edits until it
  /// is rolled back or the policy is another one. A deletion of a row that somebody else has changed is refused, too.
  case error
  /// Of a property that both have changed the stored value stays, and the edit is dropped.
  case mergeByPropertyStoreTrump
  /// Of a property that both have changed the edit is saved. The default.
  case mergeByPropertyObjectTrump
  /// The row becomes what the object is, in all its attributes, also in those that only somebody else has changed.
  /// Values beside it (`.externalStorage`) are written as far as they were edited.
  /// Relationships that were not edited follow the store, since both ends must agree.
  case overwrite
}
