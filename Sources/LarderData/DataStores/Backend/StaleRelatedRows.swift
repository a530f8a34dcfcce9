/// An error inside a save's transaction: the save would pass rows to a data store that it does not write itself, and whose
/// cached values may be older than the data store's.
struct StaleRelatedRows: Error {
  let rows: [RelatedRow]
  let identifiers: [PersistentIdentifier]
}

extension _ContextCore {
  /// Runs a save's transaction while no other caller uses the data store behind its rows. If the save needs related rows, they
  /// are fetched, and the transaction runs again. So no change comes between the fetch and the save.
  ///
  /// The related rows are known only after the rows are written, and these are written in memory.
  func withFreshRelatedRows<Result>(_ session: StoreSession, _ body: (Set<RelatedRow>) throws -> Result) throws
    -> Result
  {
    try session.exclusively {
      var asked: Set<RelatedRow> = []
      while true {
        do {
          return try body(asked)
        } catch let unasked as StaleRelatedRows {
          guard let backing = session.store.dataStoreBackend else { throw unasked }
          asked.formUnion(unasked.rows)
          try refetch(unasked.identifiers, backing)
        }
      }
    }
  }
}
