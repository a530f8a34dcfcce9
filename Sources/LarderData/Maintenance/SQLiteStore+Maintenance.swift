package import Foundation

// What a program can do with a store whose models it does not know.

extension SQLiteStore {
  /// What a check finds without the models: all but values that a property's type cannot be read from.
  package func problems(_ progress: Progress? = nil) throws -> [IntegrityProblem] {
    var check = IntegrityCheck(self, [], progress)
    return try check.run()
  }

  /// Copies the store; see ``ModelContainer/backup(to:progress:)``.
  package func backUp(to url: URL, _ progress: Progress?) throws {
    try StoreBackup(self, to: url).make(progress)
  }
}
