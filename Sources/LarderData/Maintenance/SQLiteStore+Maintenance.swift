package import Foundation
import LarderSQLite

// What a program can do with a store whose models it does not know.

extension SQLiteStore {
  /// What a check finds without the models: all but values that a property's type cannot be read from.
  ///
  /// - Throws: ``StoreError``; `CancellationError` where the progress is cancelled.
  package func integrityProblems(_ progress: Progress? = nil) throws -> [IntegrityProblem] {
    var check = IntegrityCheck(self, [], progress)
    return try check.run()
  }

  /// What SQLite finds in a file that is no store any more; nothing is written.
  ///
  /// - Parameter progress: Ends it where it is cancelled, by `CancellationError`.
  package static func fileIntegrityProblems(at path: String, _ progress: Progress? = nil) throws -> [IntegrityProblem] {
    let connection = try Connection(path: path, access: .readOnly)
    defer { connection.close() }
    var found: [IntegrityProblem] = []
    try connection.withCancellation(by: progress) {
      try connection.withStatement(for: "PRAGMA integrity_check(\(IntegrityCheck.maximumFindings))") { statement in
        while try statement.step() {
          for damage in CorruptionMessage.all(of: statement.string(0)) {
            found.append(
              IntegrityProblem(kind: .damagedFile, url: URL(filePath: path), explanation: damage.sentence))
          }
        }
      }
    }
    return found
  }

  /// Copies the store; see ``ModelContainer/backup(to:configurationName:progress:)``.
  ///
  /// - Parameter check: Is given the copy before it replaces what is there, and keeps it from that by throwing.
  package func backUp(
    to url: URL, _ progress: Progress?, check: ((_ copy: URL) throws -> Void)? = nil
  ) throws {
    try StoreBackup(self, to: url).write(progress, check: check)
  }
}
