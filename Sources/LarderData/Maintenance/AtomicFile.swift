package import Foundation
import LarderSQLite
import LarderSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is written under a temporary name next to its target, and takes the target's name once it is complete.
///
/// The process that writes the file holds a lock on it until the rename. The lock distinguishes a file that another
/// process is writing from one that a killed process has left behind; the latter is removed with the next file of that
/// name.
package final class AtomicFile {
  package let url: URL
  private var descriptor: Int32

  /// The files that this process is writing. They must not be opened for a check: closing one would drop SQLite's locks
  /// on it.
  private static let openNames = Locked<Set<String>>([])

  package var path: String { url.path(percentEncoded: false) }

  /// The suffix of the temporary name, always of the same length.
  private static var suffix: String { "\(UUID().uuidString).part" }

  /// Returns why the file cannot be created, as the rest of a sentence, if its name is the reason.
  ///
  /// - Parameter isDatabase: Whether SQLite writes the file, and keeps a journal next to it.
  package static func nameProblem(of target: URL, isDatabase: Bool) -> String? {
    target.companionNameProblem(suffix: suffix, isDatabase: isDatabase).map {
      "its \($0), since it is written beside that under a longer one until it is whole. Choose a shorter name"
    }
  }

  /// Creates the temporary file. Returns `nil` if that is impossible.
  package init?(of target: URL) {
    AtomicFile.removeAbandoned(of: target)
    while true {
      let url = target.companionFile(suffix: AtomicFile.suffix)
      AtomicFile.openNames.withLock { _ = $0.insert(url.lastPathComponent) }
      // Accessible to its owner only, like a store.
      let descriptor = open(url.path(percentEncoded: false), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor < 0 {
        AtomicFile.openNames.withLock { _ = $0.remove(url.lastPathComponent) }
        return nil
      }
      // On a file system without such locks, the file is created without one.
      let isLocked = flock(descriptor, LOCK_EX) == 0
      var facts = stat()
      // Another process may have removed the file before it was locked.
      if isLocked, fstat(descriptor, &facts) == 0, facts.st_nlink == 0 {
        _ = close(descriptor)
        AtomicFile.openNames.withLock { _ = $0.remove(url.lastPathComponent) }
        continue
      }
      self.url = url
      self.descriptor = descriptor
      return
    }
  }

  deinit { finish() }

  /// Ends the use of the file, after its rename or its removal. Do not call it while SQLite has the file open in this
  /// process: SQLite's locks would be dropped, too.
  package func finish() {
    guard descriptor >= 0 else { return }
    _ = close(descriptor)
    descriptor = -1
    AtomicFile.openNames.withLock { _ = $0.remove(url.lastPathComponent) }
  }

  /// Removes temporary files that no process is writing.
  private static func removeAbandoned(of target: URL) {
    let start = target.lastPathComponent + "."
    let folder = target.absoluteURL.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
    for name in names where name.hasPrefix(start) && name.hasSuffix(".part") {
      guard UUID(uuidString: String(name.dropFirst(start.count).dropLast(5))) != nil else { continue }
      if openNames.withLock({ $0.contains(name) }) { continue }
      let left = folder.appending(component: name)
      let descriptor = open(left.path(percentEncoded: false), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      if descriptor < 0 { continue }
      defer { _ = close(descriptor) }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { left.removeDatabase() }
    }
  }
}
