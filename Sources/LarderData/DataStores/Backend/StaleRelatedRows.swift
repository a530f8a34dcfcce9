/// Thrown inside a save's transaction: it would hand a data store rows that it does not write to itself, and that may be older
/// in memory than what the store has by now.
struct StaleRelatedRows: Error {
  let rows: [RelatedRow]
  let identifiers: [PersistentIdentifier]
}

extension _ContextCore {
  /// Runs a save's transaction while nobody else calls the data store behind its rows, where there is one, and once more with
  /// what the store has by now of the far ends of what it writes. So nothing comes between the question and the handing.
  ///
  /// Which ends these are is known best once the rows are written; they are written in memory.
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
