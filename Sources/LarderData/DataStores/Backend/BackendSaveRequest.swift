import LarderSupport

/// What a store answered.
struct BackendFetchResult {
  var found: [SnapshotValues] = []
  var related: [SnapshotValues] = []
}

/// What a save hands to a store, in the store's own form.
class BackendSaveRequest {
  var isEmpty: Bool { true }
  func insert(_ models: [any PersistentModel]) {}
  func update(_ models: [any PersistentModel]) {}
  func delete(_ models: [any PersistentModel]) {}
  func save() throws -> BackendSaveResult { BackendSaveResult() }

  /// Has models say meanwhile that they are not saved: their rows are written, but nobody has kept them yet.
  static func withTemporaryIdentifiers<Result>(
    _ models: [any PersistentModel], _ body: () throws -> Result
  ) rethrows -> Result {
    // What they are related to is read while they are rows like others.
    for model in models { _ = model.erasedBackingData }
    for model in models { model._$header.pointee.status = .inserted }
    defer { for model in models { model._$header.pointee.status = .stored } }
    return try body()
  }
}

/// What a store made of a save.
struct BackendSaveResult {
  var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
  var reregistered: [SnapshotValues] = []
  var historyToken: (any HistoryToken)?
}
