package import Foundation
import LarderSQLite

/// The target file of a backup, with the checks whether a backup may be written there.
struct BackupTarget {
  private let store: SQLiteStore
  private let path: String

  init(_ path: String, of store: SQLiteStore) {
    self.store = store
    self.path = path
  }

  /// The suffixes of the files next to a store that belong to it.
  private static let companionSuffixes =
    URL.databaseCompanionSuffixes + [CrossProcessSignal.suffix]
    + (MigrationBackup.suffixes + [MigrationBackup.stageSuffix]).map { ".\($0)" }

  /// Why the backup cannot be written there, as the rest of a sentence; `nil` if it can. The check opens no file:
  /// closing one would drop SQLite's locks on it in this process.
  var problem: String? {
    if store.database.isFile(at: path) { return "is the store itself. Choose another file" }
    if let owner { return "would replace a file that belongs to \(owner). Choose another name" }
    if let log = URL.databaseCompanionSuffixes.map({ path + $0 }).first(where: store.database.isFile) {
      return "would have \(log) for its log, which is the store itself. Choose another name"
    }
    var isFolder = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder {
      return "is a folder. Name a file in it"
    }
    if path.utf8.contains(0) { return "has a NUL in its name, which no file can have. Choose another name" }
    if isSpecial { return "is no file, but a device or a pipe. Name a file" }
    return nil
  }

  /// Whether the path names something other than a file. For a symbolic link, its target counts.
  private var isSpecial: Bool {
    let resolved = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    guard let facts = try? FileManager.default.attributesOfItem(atPath: resolved) else { return false }
    guard let type = facts[.type] as? FileAttributeType else { return false }
    return type != .typeRegular && type != .typeSymbolicLink
  }

  /// The database to which a file of this name, or the existing file, belongs.
  fileprivate var owner: String? {
    if let there = FileKey(path) {
      // For all stores that are open in this process: opening the file under another name would drop SQLite's locks on
      // it.
      let others = StoreRegistry.shared.paths.map(BackupTarget.paths)
      for names in [storePaths] + others where BackupTarget.isCompanion(there, ofStoreNamed: names) { return names[0] }
    }
    return owner(byName: path) ?? owner(byName: BackupTarget.resolved(path))
  }

  /// Returns the target of a path's symbolic links, whether a file exists there or not.
  fileprivate static func resolved(_ path: String) -> String {
    var path = path
    for _ in 0..<maximumSymbolicLinks {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
      path = URL(filePath: target, relativeTo: URL(filePath: path).deletingLastPathComponent()).path(
        percentEncoded: false)
    }
    let url = URL(filePath: path)
    return url.deletingLastPathComponent().resolvingSymlinksInPath().appending(component: url.lastPathComponent)
      .path(percentEncoded: false)
  }

  /// The same number as operating systems follow.
  private static let maximumSymbolicLinks = 40

  private static func isCompanion(_ file: FileKey, ofStoreNamed names: [String]) -> Bool {
    let names = names.flatMap { name in companionSuffixes.map { name + $0 } }
    return (names + names.flatMap { name in URL.databaseCompanionSuffixes.map { name + $0 } }).contains {
      FileKey($0) == file
    }
  }

  /// The names of the store itself.
  private var storePaths: [String] { store.database.path.map(BackupTarget.paths) ?? [] }

  /// Returns the name that a store was opened by, and the name of the file to which that resolves.
  private static func paths(_ opened: String) -> [String] {
    [opened, URL(filePath: opened).resolvingSymlinksInPath().path(percentEncoded: false)]
  }

  /// Returns the existing file next to it to which a file of this name would belong.
  fileprivate static func owner(byName path: String) -> String? {
    var base = path
    while let end = companionSuffixes.first(where: base.hasSuffix) {
      base.removeLast(end.count)
      var isFolder = false
      if FileManager.default.fileExists(atPath: base, isDirectory: &isFolder), !isFolder { return base }
    }
    return nil
  }

  private func owner(byName path: String) -> String? {
    var base = path
    // A file that belongs to a store has a log, too.
    while let end = BackupTarget.companionSuffixes.first(where: base.hasSuffix) {
      base.removeLast(end.count)
      if store.database.isFile(at: base) || storePaths.contains(where: { isSamePath($0, base) }) {
        return storePaths.first
      }
      var isFolder = false
      if FileManager.default.fileExists(atPath: base, isDirectory: &isFolder), !isFolder { return base }
    }
    return nil
  }

  /// Returns whether two paths have the same name in the same folder, by whatever path to the folder.
  private func isSamePath(_ one: String, _ other: String) -> Bool {
    let (one, other) = (URL(filePath: one), URL(filePath: other))
    guard one.lastPathComponent == other.lastPathComponent else { return false }
    func folder(_ url: URL) -> FileKey? {
      FileKey(url.deletingLastPathComponent().path(percentEncoded: false))
    }
    return folder(one).map { $0 == folder(other) } ?? false
  }
}

extension SQLiteStore {
  /// Checks whether a backup can be written at a URL.
  ///
  /// - Throws: ``StoreError`` if it cannot, for example because the URL is the store's or that of a file which belongs
  ///   to the store.
  package func checkBackup(to url: URL) throws { try StoreBackup(self, to: url).checkTarget() }

  /// Returns the file to which a file of this name would belong, such as a store for which it would be the log.
  package static func owner(ofFileAt path: String) -> String? {
    BackupTarget.owner(byName: path) ?? BackupTarget.owner(byName: BackupTarget.resolved(path))
  }

  /// Returns the store, or another file next to it, to which a new file of this name would belong.
  package func owner(ofFileAt path: String) -> String? { BackupTarget(path, of: self).owner }
}
