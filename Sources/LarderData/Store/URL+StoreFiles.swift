package import Foundation

// The companion files of a store.

extension URL {
  /// Returns the URL of a companion file: the store's file name with a suffix, in the same folder.
  package func companionFile(suffix: String) -> URL {
    deletingLastPathComponent().appending(component: "\(lastPathComponent).\(suffix)")
  }

  /// Returns the reason why a companion file cannot have its name, as the beginning of a sentence; `nil` if it can.
  ///
  /// - Parameter isDatabase: Whether the companion file is a database, for which SQLite needs a journal name.
  package func companionNameProblem(suffix: String, isDatabase: Bool) -> String? {
    let added = suffix.utf8.count + 1 + (isDatabase ? ModelConfiguration.longestCompanionSuffix.utf8.count : 0)
    let longest = ModelConfiguration.maximumFileNameLength - added
    let count = lastPathComponent.utf8.count
    return count > longest ? "name has \(count) bytes, and may have \(longest)" : nil
  }

  /// Removes a database and SQLite's companion files, as far as they exist.
  package func removeDatabase() {
    try? FileManager.default.removeItem(atPath: path(percentEncoded: false))
    removeLogs()
  }

  /// The suffixes of SQLite's companion files, which SQLite would apply to any database with the same name.
  static let databaseCompanionSuffixes = ["-wal", "-shm", "-journal"]

  func removeLogs() {
    for suffix in URL.databaseCompanionSuffixes {
      try? FileManager.default.removeItem(atPath: path(percentEncoded: false) + suffix)
    }
  }
}
