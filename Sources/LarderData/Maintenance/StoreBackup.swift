import Foundation
import LarderSQLite

/// Makes a copy of a store.
struct StoreBackup {
  private let store: SQLiteStore
  private let url: URL

  init(_ store: SQLiteStore, to url: URL) {
    self.store = store
    self.url = url
  }

  private var path: String { url.path(percentEncoded: false) }

  /// - Parameter check: Is given the copy before it takes its name, and throws where it is not to.
  func write(_ progress: Progress?, check: ((_ copy: URL) throws -> Void)? = nil) throws {
    try checkTarget()
    // Beside it, so that it can take its name in one step.
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
        // What reading it has left: whoever opens the copy by its name knows nothing of them.
        part.removeLogs()
      }
      // It may have been cancelled while the copy was checked, or as the last page was copied.
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

  /// Has the copy take its name. Nobody reads or writes what was there, or the copy, before all of it is done: what lies
  /// beside the name is of nobody then.
  private func install(_ file: AtomicFile, _ progress: Progress?) throws {
    let former = try FileManager.default.fileExists(atPath: path) ? lockExistingFile() : nil
    defer { former?.unlock() }
    let part = file.url.path(percentEncoded: false)
    let copy = try StoreError.mapErrors(store.errorURL, "copying it to \(path)") {
      try store.database.lockExclusively(part, isReplaced: false)
    }
    defer { copy.unlock() }
    // The former copy could not be had at once.
    try progress?.checkCancellation()
    url.removeLogs()
    try DurableFileIO.replace(path, by: part)
    // Somebody may have opened the name while there was none.
    url.removeLogs()
    // Before the copy is let go of: nobody in this process has locks on it that would go, too.
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
      // What is in the way is the file that is there, and not the store.
      throw StoreError(
        StoreError(error, url, "").code, url,
        "\(path) cannot be replaced by the copy: \(error.message). \(error.advice) It is as it was, and so is the store.",
        underlying: error)
    }
  }

  /// - Throws: ``StoreError`` where the copy cannot be made there.
  func checkTarget() throws {
    guard url.isFileURL, !path.isEmpty else { throw makeError("is no file. Name one") }
    if let problem = AtomicFile.nameProblem(of: url, isDatabase: true) { throw makeError("can't be made: \(problem)") }
    if let hindrance = BackupTarget(path, of: store).problem { throw makeError(hindrance) }
  }

  private func makeError(_ reason: String) -> StoreError {
    StoreError(.cannotOpen, store.errorURL, "The copy at \(path) \(reason). The store is as it was.")
  }
}
