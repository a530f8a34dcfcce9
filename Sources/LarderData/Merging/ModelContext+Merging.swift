// Beyond Apple's API.

extension ModelContext {
  /// What becomes of this context's unsaved edits when others save the same rows; by default
  /// ``MergePolicy/mergeByPropertyObjectTrump``.
  ///
  /// It is asked when the context takes over what others saved, and by ``save()``.
  public var mergePolicy: MergePolicy {
    get { core.mergePolicy }
    set { core.mergePolicy = newValue }
  }

  /// Whether objects in hand show what others save without being fetched again; true by default.
  ///
  /// The context takes over what others have saved before its next fetch or save. The main context and those of model
  /// actors do it by themselves, in a turn of their own, as soon as they can; of others nobody knows how to reach them, and
  /// they do it when a property is read of an object that somebody observes.
  /// Turned off, an object has the values that it was last fetched with; conflicts are found
  /// all the same.
  public var automaticallyMergesChanges: Bool {
    get { core.remoteChanges.isEnabled }
    set { core.remoteChanges.isEnabled = newValue }
  }
}
