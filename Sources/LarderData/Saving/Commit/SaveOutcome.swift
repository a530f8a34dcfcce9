/// What a save wrote to one store.
struct CommittedChanges {
  let session: StoreSession
  let entityWriters: [EntityWriter]
  let changes: ChangeSet
  /// What was handed to the data store behind the rows.
  var delegation: SaveDelegation?
}

/// What became of a save.
struct SaveOutcome {
  /// Store by store, in the order of the commits.
  var committed: [CommittedChanges] = []
  /// Why a store could not commit, after others had: what lies in these is saved, and the rest stays pending.
  var failure: (any Error)?

  var entityWriters: [EntityWriter] { committed.flatMap(\.entityWriters) }

  func hasCommitted(_ session: StoreSession) -> Bool { committed.contains { $0.session === session } }
}
