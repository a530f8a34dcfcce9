package import Foundation
import LarderSQLite

/// The file that a copy of a store is to be, as far as that may be one.
struct BackupTarget {
  private let store: SQLiteStore
  private let path: String

  init(_ path: String, of store: SQLiteStore) {
    self.store = store
    self.path = path
  }

  /// How the names of files end that belong to a store, beside it.
  private static let companionSuffixes =
    URL.databaseCompanionSuffixes + [CrossProcessSignal.suffix]
    + (MigrationBackup.suffixes + [MigrationBackup.stageSuffix]).map { ".\($0)" }

  /// Why the copy cannot lie there, as the rest of a sentence; nil where it can. Nothing is opened for that: closing a
  /// file would drop the locks that SQLite has on it in this process.
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

  /// Whether there is something by the name that a file must not take the place of. Of a link what it leads to counts.
  private var isSpecial: Bool {
    let resolved = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    guard let facts = try? FileManager.default.attributesOfItem(atPath: resolved) else { return false }
    guard let type = facts[.type] as? FileAttributeType else { return false }
    return type != .typeRegular && type != .typeSymbolicLink
  }

  /// The database that a file of this name, or the file that is there, belongs to.
  fileprivate var owner: String? {
    if let there = FileKey(path) {
      // Of all stores that are open here: to open the file by another name would drop the locks that SQLite has on it.
      let others = StoreRegistry.shared.paths.map(BackupTarget.paths)
      for names in [storePaths] + others where BackupTarget.isCompanion(there, ofStoreNamed: names) { return names[0] }
    }
    return owner(byName: path) ?? owner(byName: BackupTarget.resolved(path))
  }

  /// The target of a path's symbolic links, whether a file exists there or not.
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

  /// As many as systems follow.
  private static let maximumSymbolicLinks = 40

  private static func isCompanion(_ file: FileKey, ofStoreNamed names: [String]) -> Bool {
    let names = names.flatMap { name in companionSuffixes.map { name + $0 } }
    return (names + names.flatMap { name in URL.databaseCompanionSuffixes.map { name + $0 } }).contains {
      FileKey($0) == file
    }
  }

  /// The store's own names.
  private var storePaths: [String] { store.database.path.map(BackupTarget.paths) ?? [] }

  /// The name that a store was opened by, and that of the file which this leads to.
  private static func paths(_ opened: String) -> [String] {
    [opened, URL(filePath: opened).resolvingSymlinksInPath().path(percentEncoded: false)]
  }

  /// The file, beside which it would lie, that one of this name would be taken for a part of.
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
    // What belongs to a store has a log, too.
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

  /// Whether two paths are of one name in one folder, by whatever way they lead there.
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
  /// - Throws: ``StoreError`` where a copy cannot be made at an URL, as that of the store, or of what belongs to it.
  package func checkBackup(to url: URL) throws { try StoreBackup(self, to: url).checkTarget() }

  /// The file that one of this name would be taken for a part of, as a store for the log of another.
  package static func owner(ofFileAt path: String) -> String? {
    BackupTarget.owner(byName: path) ?? BackupTarget.owner(byName: BackupTarget.resolved(path))
  }

  /// The store, or another file beside which it would lie, that a new file of this name would belong to.
  package func owner(ofFileAt path: String) -> String? { BackupTarget(path, of: self).owner }
}
