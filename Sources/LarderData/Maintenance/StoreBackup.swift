import Foundation
import LarderSQLite

/// The copying of a store into a file.
struct StoreBackup {
  private let store: SQLiteStore
  private let url: URL

  init(_ store: SQLiteStore, to url: URL) {
    self.store = store
    self.url = url
  }

  private var path: String { url.path(percentEncoded: false) }

  /// Writes the copy.
  ///
  /// - Parameter check: Receives the copy before it takes its name, and throws to reject it.
  func write(_ progress: Progress?, check: ((_ copy: URL) throws -> Void)? = nil) throws {
    try checkTarget()
    // Next to the target, so that the copy can take its name in one step.
    guard let file = AtomicFile(of: url) else {
      throw makeError("can't be made. Let its folder be written, or choose another")
    }
    let part = file.url
    do {
      try StoreError.mapErrors(store.errorURL, "copying it to \(path)") {
        try store.database.copy(to: part.path(percentEncoded: false)) { copied, all in
          guard let progress else { return }
          progress.totalUnitCount = all
          progress.completedUnitCount = copied
          try progress.checkCancellation()
        }
      }
      if let check {
        try check(part)
        // The check has created these files by reading the copy. They do not follow it to its final name.
        part.removeLogs()
      }
      // The copy may have been cancelled during the check, or with its last page.
      try progress?.checkCancellation()
      try install(file, progress)
    } catch let error as DurableFileIO.Failure {
      part.removeDatabase()
      throw makeError("can't be put in its place (\(error.reason)). Choose another folder")
    } catch {
      part.removeDatabase()
      throw error
    }
  }

  /// Gives the copy its name. Until this is done, both the existing file and the copy are locked for all readers and
  /// writers, so that the files next to the name belong to neither.
  private func install(_ file: AtomicFile, _ progress: Progress?) throws {
    let former = try FileManager.default.fileExists(atPath: path) ? lockExistingFile() : nil
    defer { former?.unlock() }
    let part = file.url.path(percentEncoded: false)
    let copy = try StoreError.mapErrors(store.errorURL, "copying it to \(path)") {
      try store.database.lockExclusively(part, isReplaced: false)
    }
    defer { copy.unlock() }
    // Waiting for the lock of the existing file took some time.
    try progress?.checkCancellation()
    url.removeLogs()
    try DurableFileIO.replace(path, by: part)
    // Another connection may have opened the name while there was no file.
    url.removeLogs()
    // Before the copy is unlocked: no connection of this process has locks on it that would be dropped.
    file.finish()
  }

  private func lockExistingFile() throws -> ExclusiveFileLock {
    do {
      return try store.database.lockExclusively(path, isReplaced: true)
    } catch let error as SQLiteError where error.code == .busy || error.code == .locked {
      throw StoreError(
        .busy, url,
        "\(path) cannot be replaced by the copy: somebody has it open. Close it there, or copy into another file. "
          + "It is as it was.", underlying: error)
    } catch let error as SQLiteError {
      // The error concerns the existing file, not the store.
      throw StoreError(
        StoreError(error, url, "").code, url,
        "\(path) cannot be replaced by the copy: \(error.message). \(error.advice) It is as it was, and so is the store.",
        underlying: error)
    }
  }

  /// Checks whether the copy can be written to the URL.
  ///
  /// - Throws: ``StoreError`` if it cannot.
  func checkTarget() throws {
    guard url.isFileURL, !path.isEmpty else { throw makeError("is no file. Name one") }
    if let problem = AtomicFile.nameProblem(of: url, isDatabase: true) { throw makeError("can't be made: \(problem)") }
    if let hindrance = BackupTarget(path, of: store).problem { throw makeError(hindrance) }
  }

  private func makeError(_ reason: String) -> StoreError {
    StoreError(.cannotOpen, store.errorURL, "The copy at \(path) \(reason). The store is as it was.")
  }
}
