// Additions to Apple's API.

extension ModelContext {
  /// The policy for this context's unsaved edits when another context saves the same rows; by default
  /// ``MergePolicy/mergeByPropertyObjectTrump``.
  ///
  /// The policy applies when the context merges the commits of other contexts, and in ``save()``.
  public var mergePolicy: MergePolicy {
    get { core.mergePolicy }
    set { core.mergePolicy = newValue }
  }

  /// Whether objects in memory show the commits of other contexts without a new fetch; true by default.
  ///
  /// A context merges such commits before its next fetch or save. The main context and the contexts of model actors also merge
  /// on their own, in a turn of their queue, as soon as possible. Another context has no known queue; it also merges when a
  /// property of an object is read that an observer tracks.
  ///
  /// If the value is false, an object keeps the values of its last fetch; conflicts are still detected.
  public var automaticallyMergesChanges: Bool {
    get { core.remoteChanges.isEnabled }
    set { core.remoteChanges.isEnabled = newValue }
  }
}
