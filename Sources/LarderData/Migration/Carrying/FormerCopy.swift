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

  static func name(of url: URL) -> String { "\(url.lastPathComponent).former" }

  /// Made through a connection of its own, which sees the store as it was when the migration's transaction began: nobody
  /// else writes meanwhile. It takes its name when it is whole.
  func make() throws {
    let folder = url.deletingLastPathComponent()
    let copy = folder.appending(component: FormerCopy.name(of: url))
    let part = folder.appending(component: "\(FormerCopy.name(of: url)).part")
    try? FileManager.default.removeItem(at: part)
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
      try? FileManager.default.removeItem(at: part)
      throw error
    }
    try? FileManager.default.removeItem(at: copy)
    try FileManager.default.moveItem(at: part, to: copy)
  }
}
