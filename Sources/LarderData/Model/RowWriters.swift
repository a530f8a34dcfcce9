/// The inserts of one entity in a save, as the code of `@Model` passes them on. ``RowInserter`` is the one subclass.
public class _RowInserter {
  init() {}
}

/// The updates of one entity in a save, as the code of `@Model` passes them on. ``RowUpdater`` is the one subclass.
public class _RowUpdater {
  init() {}
}
