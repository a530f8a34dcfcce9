import Foundation
import LarderSQLite

/// A copy of a store as it is before a migration, beside it.
struct FormerCopy {
  private let url: URL
  private let vfs: String?

  init(_ url: URL, vfs: String?) {
    self.url = url
    self.vfs = vfs
  }

  private var copy: URL { url.beside(suffix: "former") }

  /// Made through a connection of its own, which sees the store as it was when the migration's transaction began: nobody
  /// else writes meanwhile. It takes its name when it is whole.
  func make() throws {
    let part = url.beside(suffix: "former.part")
    part.removeDatabase()
    // For its owner alone, as the store is.
    guard
      FileManager.default.createFile(
        atPath: part.path(percentEncoded: false), contents: nil, attributes: [.posixPermissions: 0o600])
    else {
      throw StoreError(
        .cannotOpen, url,
        "The copy \(part.path(percentEncoded: false)) of the store before its migration can't be made. Make room, or let "
          + "the folder be written, or migrate without keepsFormerStore. The store is as it was.")
    }
    let connection = try Connection(path: url.path(percentEncoded: false), access: .readOnly, vfs: vfs)
    defer { connection.close() }
    do {
      try connection.withStatement(for: "VACUUM INTO ?1") { statement in
        statement.bind(1, part.path(percentEncoded: false))
        try statement.run()
      }
    } catch {
      part.removeDatabase()
      throw error
    }
    copy.removeDatabase()
    try FileManager.default.moveItem(at: part, to: copy)
  }

  /// After a migration that did not come about, and when the store was opened since.
  func remove() { copy.removeDatabase() }
}

extension URL {
  /// A file beside a store that belongs to it.
  func beside(suffix: String) -> URL {
    deletingLastPathComponent().appending(component: "\(lastPathComponent).\(suffix)")
  }

  /// Removes a database with what SQLite keeps beside it, as far as it is there.
  func removeDatabase() {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try? FileManager.default.removeItem(atPath: path(percentEncoded: false) + suffix)
    }
  }
}
