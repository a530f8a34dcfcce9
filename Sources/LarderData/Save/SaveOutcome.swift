/// What a save wrote to one store.
struct StoreSaving {
  let session: StoreSession
  let savings: [EntitySaving]
  let changes: ChangeSet
  /// What was handed to the data store behind the rows.
  var handing: StoreHanding?
}

/// What became of a save.
struct SaveOutcome {
  /// Store by store, in the order of the commits.
  var committed: [StoreSaving] = []
  /// Why a store could not commit, after others had: what lies in these is saved, and the rest stays pending.
  var failure: (any Error)?

  var savings: [EntitySaving] { committed.flatMap(\.savings) }

  func hasCommitted(_ session: StoreSession) -> Bool { committed.contains { $0.session === session } }
}
