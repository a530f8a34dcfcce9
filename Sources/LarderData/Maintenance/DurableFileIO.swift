#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// File operations that survive a power cut.
package enum DurableFileIO {
  package struct Failure: Error {
    package let reason: String
  }

  /// An observer for tests with a simulated disk, which by itself sees only SQLite's operations.
  package struct Observer: Sendable {
    /// Called before a file takes another's name; returns 0, or the error number with which the rename is to fail.
    package var willRename: @Sendable (_ from: String, _ to: String) -> Int32
    /// Called after the names in a folder are synced to the disk.
    package var didSync: @Sendable (_ folder: String) -> Void
    /// Called before an unneeded copy is removed.
    package var willRemove: @Sendable (_ path: String) -> Void

    package init(
      willRename renames: @escaping @Sendable (_ from: String, _ to: String) -> Int32 = { _, _ in 0 },
      didSync syncs: @escaping @Sendable (_ folder: String) -> Void = { _ in },
      willRemove removes: @escaping @Sendable (_ path: String) -> Void = { _ in }
    ) {
      self.willRename = renames
      self.didSync = syncs
      self.willRemove = removes
    }
  }

  @TaskLocal package static var observer: Observer?

  /// Replaces a file by another one, and syncs the new name to the disk.
  ///
  /// - Throws: ``Failure``; the target is then unchanged, unless only the sync of its folder failed.
  package static func replace(_ path: String, by new: String) throws {
    if let code = observer?.willRename(new, path), code != 0 { throw Failure(reason: String(cString: strerror(code))) }
    guard rename(new, path) == 0 else { throw Failure(reason: String(cString: strerror(errno))) }
    syncDirectory(of: path)
  }

  /// Gives a file a name that does not exist yet, and syncs the new name to the disk.
  ///
  /// - Returns: `false` if the name exists in the meantime; that file is then unchanged.
  /// - Throws: ``Failure`` if the name does not exist and the rename fails.
  package static func createIfAbsent(_ path: String, from new: String) throws -> Bool {
    if let code = observer?.willRename(new, path), code != 0 { throw Failure(reason: String(cString: strerror(code))) }
    // A hard link is created only if the name does not exist: unlike a rename, it replaces no file.
    if link(new, path) == 0 {
      unlink(new)
    } else {
      if errno == EEXIST { return false }
      // A file system without hard links allows only a check before the rename.
      var facts = stat()
      if lstat(path, &facts) == 0 { return false }
      guard rename(new, path) == 0 else { throw Failure(reason: String(cString: strerror(errno))) }
    }
    syncDirectory(of: path)
    return true
  }

  /// Syncs a file's name to the disk.
  private static func syncDirectory(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
    // A folder that may not be read cannot be synced itself; the file has been synced.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    fsync(descriptor)
    observer?.didSync(folder)
  }
}
