package import Foundation

// The files beside a store.

extension URL {
  /// A file beside a store that belongs to it.
  package func companionFile(suffix: String) -> URL {
    deletingLastPathComponent().appending(component: "\(lastPathComponent).\(suffix)")
  }

  /// Why a file beside this one cannot have its name, as the beginning of a sentence; nil where it can.
  ///
  /// - Parameter isDatabase: Whether SQLite keeps a journal beside that.
  package func companionNameProblem(suffix: String, isDatabase: Bool) -> String? {
    let added = suffix.utf8.count + 1 + (isDatabase ? ModelConfiguration.longestCompanionSuffix.utf8.count : 0)
    let longest = ModelConfiguration.maximumFileNameLength - added
    let count = lastPathComponent.utf8.count
    return count > longest ? "name has \(count) bytes, and may have \(longest)" : nil
  }

  /// Removes a database with what SQLite keeps beside it, as far as it is there.
  package func removeDatabase() {
    try? FileManager.default.removeItem(atPath: path(percentEncoded: false))
    removeLogs()
  }

  /// What SQLite keeps beside a database, which is played into whatever has its name.
  static let databaseCompanionSuffixes = ["-wal", "-shm", "-journal"]

  func removeLogs() {
    for suffix in URL.databaseCompanionSuffixes {
      try? FileManager.default.removeItem(atPath: path(percentEncoded: false) + suffix)
    }
  }
}
