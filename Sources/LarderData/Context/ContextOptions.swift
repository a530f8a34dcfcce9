/// The options in which the library's own contexts differ from the program's.
struct ContextOptions {
  /// Whether the context works for another context, or for a data store: its saves post no notification and ask no data store.
  var isInternal = false
  /// Whether deletions follow the models' delete rules; a data store has applied its own rules to the rows that it deletes.
  var appliesDeleteRules = true
  /// Whether an insert may be resolved to an existing row (upsert).
  var resolvesUpserts = true
  /// The row IDs that objects receive when they are inserted.
  var preassignedRowIDs: [ObjectIdentifier: Int64] = [:]

  mutating func removePreassignedRowID(of object: AnyObject) -> Int64? {
    preassignedRowIDs.isEmpty ? nil : preassignedRowIDs.removeValue(forKey: ObjectIdentifier(object))
  }
}

extension _ContextCore {
  /// Whether the context works on the rows of a data store while that store is locked. It merges no commits of other contexts
  /// from elsewhere: that read could wait for a thread that waits for the data store.
  var servesStorageBackend: Bool { hasStorageBackends && options.isInternal }
}
