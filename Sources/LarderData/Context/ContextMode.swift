/// What a context of the library's own does in another way than one of the program's.
struct ContextMode {
  /// Whether the context works for another one, or for a store: its saves post no notification, and it asks no store.
  var isInternal = false
  /// Whether deletions follow the models' rules; what a store has deleted it has decided itself.
  var followsDeleteRules = true
  /// Whether an insert may turn out to be a row that is there.
  var unitesInserts = true
  /// The rows that objects are to have once they are inserted.
  var givenRows: [ObjectIdentifier: Int64] = [:]

  mutating func takeGivenRow(of object: AnyObject) -> Int64? {
    givenRows.isEmpty ? nil : givenRows.removeValue(forKey: ObjectIdentifier(object))
  }
}

extension ContextCore {
  /// Whether the context works on the rows of one data store, while that is held. It takes over nothing that
  /// other contexts save elsewhere: to read that could wait for a thread that waits for the store.
  var worksForAStore: Bool { asksStores && mode.isInternal }
}
