/// What a context of the library's own does in another way than one of the program's.
struct ContextMode {
  /// Whether the context works for another one, or for a store: nobody is told of its saves, and it asks no store.
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
  /// Whether the context works on the rows of one data store, while that is held. What others save elsewhere is none of its
  /// business then: to read it would be to wait for somebody who waits for the store.
  var worksForAStore: Bool { asksStores && mode.isInternal }
}
