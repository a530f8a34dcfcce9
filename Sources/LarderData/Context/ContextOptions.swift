/// What a context of the library's own does in another way than one of the program's.
struct ContextOptions {
  /// Whether the context works for another one, or for a store: its saves post no notification, and it asks no store.
  var isInternal = false
  /// Whether deletions follow the models' rules; what a store has deleted it has decided itself.
  var appliesDeleteRules = true
  /// Whether an insert may turn out to be a row that is there.
  var resolvesUpserts = true
  /// The rows that objects are to have once they are inserted.
  var preassignedRowIDs: [ObjectIdentifier: Int64] = [:]

  mutating func removePreassignedRowID(of object: AnyObject) -> Int64? {
    preassignedRowIDs.isEmpty ? nil : preassignedRowIDs.removeValue(forKey: ObjectIdentifier(object))
  }
}

extension _ContextCore {
  /// Whether the context works on the rows of one data store, while that is held. It takes over nothing that
  /// other contexts save elsewhere: to read that could wait for a thread that waits for the store.
  var servesStorageBackend: Bool { hasStorageBackends && options.isInternal }
}
