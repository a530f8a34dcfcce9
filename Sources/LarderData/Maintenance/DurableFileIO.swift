#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Files that must outlast a power cut.
package enum DurableFileIO {
  package struct Failure: Error {
    package let reason: String
  }

  /// What is told to a test's disk, which sees for itself only what SQLite does.
  package struct Observer: Sendable {
    /// A file is about to take another's name; 0, or the number of the error with which that fails.
    package var willRename: @Sendable (_ from: String, _ to: String) -> Int32
    /// The names in a folder are on the disk.
    package var didSync: @Sendable (_ folder: String) -> Void
    /// A copy that was not needed is about to go.
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

  /// Has a file take another's name, and that name be on the disk.
  ///
  /// - Throws: ``Failure``; the other file is then as it was, unless only its folder could not be written to the disk.
  package static func replace(_ path: String, by new: String) throws {
    if let code = observer?.willRename(new, path), code != 0 { throw Failure(reason: String(cString: strerror(code))) }
    guard rename(new, path) == 0 else { throw Failure(reason: String(cString: strerror(errno))) }
    syncDirectory(of: path)
  }

  /// Has a file take a name that nothing has, and that name be on the disk.
  ///
  /// - Returns: Whether it has; not where something has the name meanwhile, which is then as it was.
  /// - Throws: ``Failure``, where there is nothing by that name.
  package static func createIfAbsent(_ path: String, from new: String) throws -> Bool {
    if let code = observer?.willRename(new, path), code != 0 { throw Failure(reason: String(cString: strerror(code))) }
    // A second name can be had only where there is none: unlike a new one, it puts nothing else aside.
    if link(new, path) == 0 {
      unlink(new)
    } else {
      if errno == EEXIST { return false }
      // On a disk that has no second names nothing but a look tells.
      var facts = stat()
      if lstat(path, &facts) == 0 { return false }
      guard rename(new, path) == 0 else { throw Failure(reason: String(cString: strerror(errno))) }
    }
    syncDirectory(of: path)
    return true
  }

  /// Has a file's name on the disk.
  private static func syncDirectory(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
    // A folder that may not be read cannot be written to the disk by itself; the file is.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    fsync(descriptor)
    observer?.didSync(folder)
  }
}
