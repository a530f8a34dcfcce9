import LarderSupport

/// The result of a data store's fetch.
struct BackendFetchResult {
  var found: [SnapshotValues] = []
  var related: [SnapshotValues] = []
}

/// The changes of a save, in the data store's own snapshot type.
class BackendSaveRequest {
  var isEmpty: Bool { true }
  func insert(_ models: [any PersistentModel]) {}
  func update(_ models: [any PersistentModel]) {}
  func delete(_ models: [any PersistentModel]) {}
  func save() throws -> BackendSaveResult { BackendSaveResult() }

  /// Marks models as unsaved during the body: their rows are written to the cache, but the data store has not saved them yet.
  static func withTemporaryIdentifiers<Result>(
    _ models: [any PersistentModel], _ body: () throws -> Result
  ) rethrows -> Result {
    // Relationships are read while the models are still marked as stored.
    for model in models { _ = model.erasedBackingData }
    for model in models { model._$header.pointee.status = .inserted }
    defer { for model in models { model._$header.pointee.status = .stored } }
    return try body()
  }
}

/// The result of a data store's save.
struct BackendSaveResult {
  var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
  var reregistered: [SnapshotValues] = []
  var historyToken: (any HistoryToken)?
}
