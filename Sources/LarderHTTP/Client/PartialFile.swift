import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A partial file that replaces its target when it is complete, and is removed if it never is.
///
/// The writer holds a lock on it. The lock separates the leftovers of a killed process, which the next download to the same
/// target removes, from the partial file of a running one. The names are numbered, so that the folder, which may hold any
/// number of files, need not be searched.
///
/// Hosts that share a folder need locks that work between them, like those of NFS when it is not mounted with `nolock` or
/// `local_lock`. Without them one host may remove another's partial file; so each operation on the name first checks that the
/// name still belongs to this file. That leaves the instant between the check and the operation, which only locks protect.
struct PartialFile: ~Copyable {
  private let path: String
  private let target: String
  private let descriptor: Int32
  private var isCommitted = false

  /// 8: more than the number of downloads to one file at the same time. Leftovers under these names are removed, and so are
  /// those before the first free name.
  private static let scannedNameCount = 8
  /// 1,000: a folder with all of these names has them from another source than downloads.
  private static let maximumNameCount = 1_000

  /// Creates a partial file for a target.
  ///
  /// - Throws: ``HTTPError`` of the kind ``HTTPError/Kind/file(errno:)``.
  init(for target: URL) throws(HTTPError) {
    let (path, descriptor, problem) = PartialFile.create(nextTo: target)
    self.target = target.path(percentEncoded: false)
    self.path = path
    self.descriptor = descriptor
    if descriptor < 0 { throw PartialFile.failure(problem) }
  }

  deinit {
    guard descriptor >= 0 else { return }
    // While the lock is held: afterwards the name may belong to another process.
    if !isCommitted, PartialFile.status(of: descriptor, at: path) != nil { unlink(path) }
    close(descriptor)
  }

  /// Appends data to the partial file.
  func append(_ data: Data) throws(HTTPError) {
    let failed: Int32 = data.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count, let start = bytes.baseAddress {
        let count = write(descriptor, start + written, bytes.count - written)
        if count < 0 {
          if errno == EINTR { continue }
          return errno
        }
        written += count
      }
      return 0
    }
    if failed != 0 { throw PartialFile.failure(failed) }
  }

  /// Moves the file to its target, once all of it is on the disk.
  mutating func commit() throws(HTTPError) {
    guard fsync(descriptor) == 0 else { throw PartialFile.failure(errno) }
    // Another process's file under this name may be incomplete.
    guard PartialFile.status(of: descriptor, at: path) != nil else { throw PartialFile.failure(ESTALE) }
    // The target may have become another kind of file since the download began; such a file is not replaced.
    if let problem = PartialFile.problem(with: FileKind(path: target, followsSymbolicLinks: false)) {
      throw PartialFile.failure(problem)
    }
    guard rename(path, target) == 0 else { throw PartialFile.failure(errno) }
    isCommitted = true
    syncFolder()
  }

  /// Returns the path to write to: the given path, or the target of a symbolic link. Called before the request is sent, so
  /// that none is sent if the file cannot be written.
  ///
  /// - Throws: ``HTTPError`` of the kind ``HTTPError/Kind/file(errno:)``; EISDIR for a folder, and ENOTSUP for any other file
  ///   that is not plain, since these cannot be replaced.
  static func resolvedDestination(of file: URL) throws(HTTPError) -> URL {
    guard file.isFileURL else { throw HTTPError(.file(errno: EINVAL), delivery: .notSent) }
    var path = file.systemPath
    for _ in 0..<maximumLinkCount {
      let kind = FileKind(path: path, followsSymbolicLinks: false)
      let problem = kind == nil && errno != ENOENT ? errno : Self.problem(with: kind, followsSymbolicLinks: true)
      if let problem { throw HTTPError(.file(errno: problem), delivery: .notSent) }
      guard kind == .symbolicLink else {
        let place = path == file.systemPath ? file : URL(filePath: path)
        if let problem = Self.problem(withFolderOf: place) {
          throw HTTPError(.file(errno: problem), delivery: .notSent)
        }
        return place
      }
      guard let target = Self.target(ofSymbolicLink: path) else {
        throw HTTPError(.file(errno: errno), delivery: .notSent)
      }
      path = target
    }
    throw HTTPError(.file(errno: ELOOP), delivery: .notSent)
  }

  /// 40: the number of links that Linux follows.
  private static let maximumLinkCount = 40

  /// Returns the target of a symbolic link; a relative target counts from the link's folder.
  private static func target(ofSymbolicLink path: String) -> String? {
    guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
      errno = ENOENT
      return nil
    }
    guard target.first != "/" else { return target }
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    // ".." counts from the folder's real path.
    guard let real = realpath(folder.isEmpty ? "/" : folder, nil) else { return nil }
    defer { free(real) }
    return String(cString: real) + "/" + target
  }

  private static func problem(with kind: FileKind?, followsSymbolicLinks isLinkFollowed: Bool = false) -> Int32? {
    switch kind {
    case nil, .regular: nil
    case .symbolicLink: isLinkFollowed ? nil : ENOTSUP
    case .directory: EISDIR
    case .special, .socket: ENOTSUP
    }
  }

  /// Returns the `errno` for a folder that cannot be written to, or nil if it can.
  private static func problem(withFolderOf file: URL) -> Int32? {
    let folder = file.deletingLastPathComponent().path(percentEncoded: false)
    // The check uses the effective user, which creates the file, and not the process's real user.
    return faccessat(AT_FDCWD, folder.isEmpty ? "." : folder, W_OK | X_OK, AT_EACCESS) == 0 ? nil : errno
  }

  /// Writes the folder to the disk: without this, the name might belong to the former file after a power cut.
  private func syncFolder() {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let number = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A folder without read permission cannot be synced, and on some systems no folder can; the file itself is synced.
    guard number >= 0 else { return }
    fsync(number)
    close(number)
  }

  /// Creates a file under the first free name, or returns the error number.
  private static func create(nextTo target: URL) -> (path: String, descriptor: Int32, problem: Int32) {
    let names = PartialFileNames(of: target.lastPathComponent)
    var made: (path: String, descriptor: Int32)?
    for number in 0..<maximumNameCount where made == nil || number < scannedNameCount {
      let path = target.deletingLastPathComponent().appending(path: names[number]).path(percentEncoded: false)
      removeAbandoned(path)
      guard made == nil else { continue }
      // For its owner alone, since downloads may be private.
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor < 0 {
        let problem = errno
        if problem == EEXIST { continue }
        return (path, -1, problem)
      }
      if lock(descriptor) { made = (path, descriptor) } else { close(descriptor) }
    }
    guard let made else { return ("", -1, EEXIST) }
    return (made.path, made.descriptor, 0)
  }

  /// Locks a new file; false if another process has found it before, and taken it for a leftover.
  private static func lock(_ descriptor: Int32) -> Bool {
    // Without support for such locks, no process removes it.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return errno != EWOULDBLOCK }
    var facts = stat()
    return fstat(descriptor, &facts) != 0 || facts.st_nlink > 0
  }

  /// Removes a partial file that has no writer any more.
  private static func removeAbandoned(_ path: String) {
    // Without following a link, and without waiting for a pipe.
    let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // Its writer may have just moved it to its target, and the name may belong to another file.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, let locked = status(of: descriptor, at: path),
      locked.st_mode & S_IFMT == S_IFREG
    else { return }
    unlink(path)
  }

  /// Returns the status of an open file, or nil if the name belongs to another file or to none.
  private static func status(of descriptor: Int32, at path: String) -> stat? {
    var held = stat()
    var named = stat()
    guard fstat(descriptor, &held) == 0, lstat(path, &named) == 0, held.st_ino == named.st_ino,
      held.st_dev == named.st_dev
    else { return nil }
    return held
  }

  private static func failure(_ number: Int32) -> HTTPError {
    HTTPError(.file(errno: number), delivery: .responded)
  }
}
