package import Foundation
import LarderSQLite

// Operations on a store whose models the program does not know.

extension SQLiteStore {
  /// Checks the store without its models: everything but values that a property's type cannot decode.
  ///
  /// - Throws: ``StoreError``; `CancellationError` where the progress is cancelled.
  package func integrityProblems(_ progress: Progress? = nil) throws -> [IntegrityProblem] {
    var check = IntegrityCheck(self, [], progress)
    return try check.run()
  }

  /// Runs SQLite's check on a file that is not a store any more. Nothing is written.
  ///
  /// - Parameter progress: Ends the check with a `CancellationError` if it is cancelled.
  /// - Throws: ``SQLiteError``, or `CancellationError`.
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
  /// - Parameter check: Receives the copy before it replaces the target, and prevents that by throwing.
  package func backUp(
    to url: URL, _ progress: Progress?, check: ((_ copy: URL) throws -> Void)? = nil
  ) throws {
    try StoreBackup(self, to: url).write(progress, check: check)
  }
}
