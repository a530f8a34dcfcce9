/// What a context keeps for data stores that are not SQLite's.
struct BackedWork {
  /// Whether the context works for another one, or for a store: it asks none itself.
  var isInternal = false
  /// The stores that know of the context, by their identifiers.
  var begun: Set<String> = []
  /// The rows that objects are to have once they are inserted.
  var givenRows: [ObjectIdentifier: Int64] = [:]
  /// Whether deletions follow the models' rules; what a store has deleted it has decided itself.
  var followsDeleteRules = true
  /// Whether an insert may turn out to be a row that is there.
  var unitesInserts = true
  /// How far the stores' histories were with the last save.
  var savedTokens: [String: any HistoryToken] = [:]
  /// What was deleted by one predicate, while nothing else is pending.
  var batch: BatchDeletion?

  mutating func takeGivenRow(of object: AnyObject) -> Int64? {
    givenRows.isEmpty ? nil : givenRows.removeValue(forKey: ObjectIdentifier(object))
  }
}
