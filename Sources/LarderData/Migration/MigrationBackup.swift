package import Foundation
import LarderSQLite
import LarderSupport

/// A copy of a store as it is before a migration, beside it.
///
/// A migration whose copy is kept has a number that no other has. The store has it from then on, and the copy the number
/// before it. So a copy that is whole waits under a name of its own until its migration is done: whatever ends the program,
/// the number tells whether it was, and the copy of an earlier migration stays until then.
///
/// All processes have the same names for it. So what is done to the files is done by who holds the store's write lock,
/// and looks at the number first.
package struct MigrationBackup {
  private let url: URL
  private let vfs: String?

  package init(_ url: URL, vfs: String?) {
    self.url = url
    self.vfs = vfs
  }

  /// The ends of its names: that which it keeps, and those that it has before its migration is done, and is whole.
  package static let suffixes = ["former", "former.next", "former.part"]
  /// The end of the name of the file that has the models as they were before a stage, while that is taken.
  package static let stageSuffix = "stage"
  private var finalURL: URL { url.companionFile(suffix: MigrationBackup.suffixes[0]) }
  private var pendingURL: URL { url.companionFile(suffix: MigrationBackup.suffixes[1]) }
  private var partialURL: URL { url.companionFile(suffix: MigrationBackup.suffixes[2]) }

  /// Drawn rather than counted: nothing in the store outlasts a copy, and whoever has read the number of one must not take
  /// a later one for it. The upper half is left for programs of earlier versions, which count on from it.
  package static func newNumber() -> Int64 { .random(in: 2...(.max / 2)) }

  /// Made through a connection of its own, which sees the store as it was when the migration's transaction began: nobody
  /// else writes meanwhile.
  ///
  /// - Parameter number: The migration's.
  package func create(_ number: Int64, _ progress: MigrationProgress) throws {
    if let problem = url.companionNameProblem(suffix: MigrationBackup.suffixes[2], isDatabase: true) {
      throw makeError(
        "The store's \(problem), since the copy's is longer. Give the store a shorter name while nobody has it open, or "
          + "migrate without keepsPreviousStore")
    }
    partialURL.removeDatabase()
    // For its owner alone, as the store is.
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
      // Without a log, so that it is one file whoever looks at it.
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

  /// Its migration does not come about. Before the write lock is given back: the next who holds it may make another.
  package func discard() {
    DurableFileIO.observer?.willRemove(pendingURL.path(percentEncoded: false))
    pendingURL.removeDatabase()
  }

  /// Gives the copy of a migration that is done its name, and removes that of one which did not come about: those of this
  /// program, and of one that was killed. Only for who holds the write lock.
  ///
  /// - Parameter number: The store's; 0 where it has none.
  package func finalize(_ number: Int64) throws {
    guard FileManager.default.fileExists(atPath: pendingURL.path(percentEncoded: false)) else { return }
    guard number > 0 else { return discard() }
    // One that can't be read now may be the copy all the same.
    guard let own = try? pendingNumber() else { return }
    guard own == number - 1 else { return discard() }
    try replace(finalURL, by: pendingURL)
  }

  /// Programs of earlier versions have left copies without one.
  private func pendingNumber() throws -> Int64 {
    let connection = try Connection(path: pendingURL.path(percentEncoded: false), access: .readOnly, vfs: vfs)
    defer { connection.close() }
    return try StoreMetadata.previousCopy(on: connection) ?? 0
  }

  /// The store was opened since its migration: it has done its service.
  package func remove() {
    for file in [finalURL, pendingURL, partialURL] { file.removeDatabase() }
  }

  private func replace(_ file: URL, by new: URL) throws {
    // A log of the one that goes would be played into the other.
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
  /// The store was opened since its migration, and so were all others of its container: the copy of what it was before has
  /// done its service.
  func removeMigrationBackup() throws {
    guard let former = previousCopy.withLock({ $0.take() }) else { return }
    try StoreError.mapErrors(url, "removing the copy of the store before its migration") {
      try database.write { connection in
        // Another process may have migrated it anew.
        guard try StoreMetadata.previousCopy(on: connection) == former.number else { return }
        former.copy.remove()
        try StoreMetadata.setPreviousCopy(nil, on: connection)
        try StoreMetadata.countUnrecordedCommit(on: connection)
      }
    }
  }
}
