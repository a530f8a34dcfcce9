package import Foundation
import LarderSQLite
import LarderSupport

/// A copy of a store before its migration, next to the store.
///
/// A migration that keeps a copy has a unique number. The store records the number from then on, and the copy has the
/// number minus one. A complete copy keeps a temporary name until its migration is committed: whenever the program
/// ends, the number in the store shows whether that happened, and the copy of an earlier migration is kept until then.
///
/// All processes use the same names for the copy. So only the holder of the store's write lock changes the files, and
/// it checks the number first.
package struct MigrationBackup {
  private let url: URL
  private let vfs: String?

  package init(_ url: URL, vfs: String?) {
    self.url = url
    self.vfs = vfs
  }

  /// The suffixes of the copy: its final one, the one while its migration is not committed, and the one while it is
  /// incomplete.
  package static let suffixes = ["former", "former.next", "former.part"]
  /// The suffix of the file with the models before a stage, while the stage runs.
  package static let stageSuffix = "stage"
  private var finalURL: URL { url.companionFile(suffix: MigrationBackup.suffixes[0]) }
  private var pendingURL: URL { url.companionFile(suffix: MigrationBackup.suffixes[1]) }
  private var partialURL: URL { url.companionFile(suffix: MigrationBackup.suffixes[2]) }

  /// Returns a new number. It is random rather than counted: no number in the store outlasts a copy, and a process that
  /// has read the number of one copy must not confuse it with a later one. The upper half is left for programs of
  /// earlier versions, which count on from the number.
  package static func newNumber() -> Int64 { .random(in: 2...(.max / 2)) }

  /// Creates the copy through a separate connection, which sees the store as it was when the migration's transaction
  /// began: no other connection can write meanwhile.
  ///
  /// - Parameter number: The number of the migration.
  /// - Throws: ``StoreError`` if the copy cannot be created; `CancellationError`.
  /// - Parameter number: The migration's.
  package func create(_ number: Int64, _ progress: MigrationProgress) throws {
    if let problem = url.companionNameProblem(suffix: MigrationBackup.suffixes[2], isDatabase: true) {
      throw makeError(
        "The store's \(problem), since the copy's is longer. Give the store a shorter name while nobody has it open, or "
          + "migrate without keepsPreviousStore")
    }
    partialURL.removeDatabase()
    // Accessible to its owner only, like the store.
    guard
      FileManager.default.createFile(
        atPath: partialURL.path(percentEncoded: false), contents: nil, attributes: [.posixPermissions: 0o600])
    else { throw makeError("Make room, or let the folder be written, or migrate without keepsPreviousStore") }
    do {
      let connection = try Connection(path: url.path(percentEncoded: false), access: .readOnly, vfs: vfs)
      defer { connection.close() }
      try connection.transaction(.deferred) {
        try connection.copy(to: partialURL.path(percentEncoded: false), vfs: vfs) { _, _ in
          try progress.checkCancellation()
        }
      }
      // Without a log, so that the copy is one file for every reader.
      let copied = try Connection(path: partialURL.path(percentEncoded: false), access: .readWrite, vfs: vfs)
      defer { copied.close() }
      try copied.execute("PRAGMA journal_mode = DELETE")
      try StoreMetadata.setPreviousCopy(number - 1, on: copied)
      try replace(pendingURL, by: partialURL)
    } catch {
      partialURL.removeDatabase()
      throw error
    }
  }

  /// Removes the copy of a migration that failed. Call it before the write lock is released: the next holder may create
  /// another copy.
  package func discard() {
    DurableFileIO.observer?.willRemove(pendingURL.path(percentEncoded: false))
    pendingURL.removeDatabase()
  }

  /// Gives the copy of a committed migration its final name, or removes that of a failed one, whether of this program
  /// or of a killed one. The caller must hold the write lock.
  ///
  /// - Parameter number: The store's number; 0 if it has none.
  package func finalize(_ number: Int64) throws {
    guard FileManager.default.fileExists(atPath: pendingURL.path(percentEncoded: false)) else { return }
    guard number > 0 else { return discard() }
    // A file that cannot be read now may still be the copy.
    guard let own = try? pendingNumber() else { return }
    guard own == number - 1 else { return discard() }
    try replace(finalURL, by: pendingURL)
  }

  /// Returns the number in the copy; 0 for copies of earlier versions, which have none.
  private func pendingNumber() throws -> Int64 {
    let connection = try Connection(path: pendingURL.path(percentEncoded: false), access: .readOnly, vfs: vfs)
    defer { connection.close() }
    return try StoreMetadata.previousCopy(on: connection) ?? 0
  }

  /// Removes all copies, since the store was opened after its migration.
  package func remove() {
    for file in [finalURL, pendingURL, partialURL] { file.removeDatabase() }
  }

  private func replace(_ file: URL, by new: URL) throws {
    // A log of the replaced file would be replayed into the new one.
    file.removeLogs()
    do {
      try DurableFileIO.replace(file.path(percentEncoded: false), by: new.path(percentEncoded: false))
    } catch let error as DurableFileIO.Failure {
      throw makeError("It can't be put in its place (\(error.reason)). Migrate without keepsPreviousStore")
    }
  }

  private func makeError(_ advice: String) -> StoreError {
    StoreError(
      .cannotOpen, url,
      "The copy \(finalURL.path(percentEncoded: false)) of the store before its migration can't be made. \(advice). The store "
        + "is as it was.")
  }
}

extension SQLiteStore {
  /// Removes the copy of the store before its migration. The store and all other stores of its container have been
  /// opened since.
  func removeMigrationBackup() throws {
    guard let former = previousCopy.withLock({ $0.take() }) else { return }
    try StoreError.mapErrors(url, "removing the copy of the store before its migration") {
      try database.write { connection in
        // Another process may have migrated the store again.
        guard try StoreMetadata.previousCopy(on: connection) == former.number else { return }
        former.copy.remove()
        try StoreMetadata.setPreviousCopy(nil, on: connection)
        try StoreMetadata.countUnrecordedCommit(on: connection)
      }
    }
  }
}
