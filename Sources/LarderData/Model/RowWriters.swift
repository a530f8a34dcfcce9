/// The inserts of one entity in a save, as the code of `@Model` passes them on.
///
/// ``RowInserter`` is the one subclass, and the only type that is created: values are cast to it without a check.
public class _RowInserter {
  init() {}
}

/// The updates of one entity in a save, as the code of `@Model` passes them on.
///
/// ``RowUpdater`` is the one subclass, and the only type that is created: values are cast to it without a check.
public class _RowUpdater {
  init() {}
}
