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

/// A file beside another, which takes that one's place when it is whole. It is removed where it never becomes that.
///
/// Whoever writes it holds it locked. So what a process that was killed has left is told from what another is writing, and
/// goes with the next download to the same file. The names are numbered, so that they need not be looked for in a folder
/// that may have any number of files in it.
///
/// Hosts that share a folder need locks that hold between them, as those of NFS do where it is not mounted with `nolock` or
/// `local_lock`. Without them one may remove what another is writing; so whatever is done by the name is done only while it
/// is this file's. That leaves the instant between the two, which only locks close.
struct PartialFile: ~Copyable {
  private let path: String
  private let target: String
  private let descriptor: Int32
  private var isCommitted = false

  /// 8: more than are written for one file at once. What was left under these is removed, and so is what comes before the
  /// first name that is free.
  private static let scannedNameCount = 8
  /// 1,000: whatever has all of these names is none of a download's.
  private static let maximumNameCount = 1_000

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
    // While it is locked: afterwards the name may be another's.
    if !isCommitted, PartialFile.status(of: descriptor, at: path) != nil { unlink(path) }
    close(descriptor)
  }

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

  /// Puts the file in its place, when the disk has all of it.
  mutating func commit() throws(HTTPError) {
    guard fsync(descriptor) == 0 else { throw PartialFile.failure(errno) }
    // What another one has put there may not be whole.
    guard PartialFile.status(of: descriptor, at: path) != nil else { throw PartialFile.failure(ESTALE) }
    // Nor is what is no plain file replaced, which was none when this began.
    if let problem = PartialFile.problem(with: FileKind(path: target, followsSymbolicLinks: false)) {
      throw PartialFile.failure(problem)
    }
    guard rename(path, target) == 0 else { throw PartialFile.failure(errno) }
    isCommitted = true
    syncFolder()
  }

  /// Where a file is to be written: where its name says, or where that leads, if it is a link. Known beforehand, so that
  /// nobody needs to be asked where nothing can be written.
  ///
  /// - Throws: ``HTTPError`` of the kind ``HTTPError/Kind/file(errno:)``; ENOTSUP for what is no plain file, of which another
  ///   cannot take the place.
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

  /// 40: how many links Linux follows.
  private static let maximumLinkCount = 40

  /// Where a link leads, by the folder in which it is where it does not say.
  private static func target(ofSymbolicLink path: String) -> String? {
    guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
      errno = ENOENT
      return nil
    }
    guard target.first != "/" else { return target }
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    // What leads upwards does so from where the folder is.
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

  /// Why nothing can be written beside a file, by `errno`.
  private static func problem(withFolderOf file: URL) -> Int32? {
    let folder = file.deletingLastPathComponent().path(percentEncoded: false)
    // As whom the file will be made, which is not always whom the process belongs to.
    return faccessat(AT_FDCWD, folder.isEmpty ? "." : folder, W_OK | X_OK, AT_EACCESS) == 0 ? nil : errno
  }

  /// Has the disk know the new name: else it might be the former file's after a power cut.
  private func syncFolder() {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let number = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A folder that may not be read cannot be written to the disk by itself, and on some systems none can; the file is.
    guard number >= 0 else { return }
    fsync(number)
    close(number)
  }

  /// Makes a file under the first name that is free, or says by the number of the error why there can be none.
  private static func create(nextTo target: URL) -> (path: String, descriptor: Int32, problem: Int32) {
    let names = PartialFileNames(of: target.lastPathComponent)
    var made: (path: String, descriptor: Int32)?
    for number in 0..<maximumNameCount where made == nil || number < scannedNameCount {
      let path = target.deletingLastPathComponent().appending(path: names[number]).path(percentEncoded: false)
      removeAbandoned(path)
      guard made == nil else { continue }
      // For its owner alone, as what is downloaded may be private.
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

  /// Locks a file that was made; false where somebody has found it before, and taken it for one that was left.
  private static func lock(_ descriptor: Int32) -> Bool {
    // Where there are no such locks, nobody removes it.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return errno != EWOULDBLOCK }
    var facts = stat()
    return fstat(descriptor, &facts) != 0 || facts.st_nlink > 0
  }

  /// Removes what nobody writes any more.
  private static func removeAbandoned(_ path: String) {
    // Neither followed nor waited for, whatever it is.
    let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // Whoever wrote it may have put it in its place just now, and another may have the name.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, let locked = status(of: descriptor, at: path),
      locked.st_mode & S_IFMT == S_IFREG
    else { return }
    unlink(path)
  }

  /// What is known of an open file; nil where the name is another's, or nobody's.
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
