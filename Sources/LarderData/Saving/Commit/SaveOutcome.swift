/// The changes that a save wrote to one store.
struct CommittedChanges {
  let session: StoreSession
  let entityWriters: [EntityWriter]
  let changes: ChangeSet
  /// The request that was sent to the data store behind the rows.
  var delegation: SaveDelegation?
}

/// The result of a save.
struct SaveOutcome {
  /// The committed changes of each store, in the order of the commits.
  var committed: [CommittedChanges] = []
  /// The error of a store that could not commit after others had. The `committed` changes are saved, and the rest stays pending.
  var failure: (any Error)?

  var entityWriters: [EntityWriter] { committed.flatMap(\.entityWriters) }

  func hasCommitted(_ session: StoreSession) -> Bool { committed.contains { $0.session === session } }
}
