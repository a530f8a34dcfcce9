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

/// A file that takes its name when it is whole; until then it has one of its own, beside it.
///
/// Whoever writes it holds it locked, until it has taken its name. So what a process that was killed has left is told from
/// what another is writing, and goes with the next file of that name.
package final class AtomicFile {
  package let url: URL
  private var descriptor: Int32

  /// Those that this process writes. They are not to be looked at: closing one would drop the locks that SQLite has on it.
  private static let openNames = Locked<Set<String>>([])

  package var path: String { url.path(percentEncoded: false) }

  /// What it adds to the name, always as much.
  private static var suffix: String { "\(UUID().uuidString).part" }

  /// Why the file cannot be made, as the rest of a sentence, where its own name is the reason.
  ///
  /// - Parameter isDatabase: Whether SQLite writes it, and keeps a journal beside it.
  package static func nameProblem(of target: URL, isDatabase: Bool) -> String? {
    target.companionNameProblem(suffix: suffix, isDatabase: isDatabase).map {
      "its \($0), since it is written beside that under a longer one until it is whole. Choose a shorter name"
    }
  }

  /// nil where it can't be made.
  package init?(of target: URL) {
    AtomicFile.removeAbandoned(of: target)
    while true {
      let url = target.companionFile(suffix: AtomicFile.suffix)
      AtomicFile.openNames.withLock { _ = $0.insert(url.lastPathComponent) }
      // For its owner alone, as a store is.
      let descriptor = open(url.path(percentEncoded: false), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor < 0 {
        AtomicFile.openNames.withLock { _ = $0.remove(url.lastPathComponent) }
        return nil
      }
      // Where there are no such locks, it is made without.
      let isLocked = flock(descriptor, LOCK_EX) == 0
      var facts = stat()
      // Somebody may have found it before it was locked.
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

  /// It has its name, or is given up. Not while SQLite has the file open in this process: its locks would go, too.
  package func finish() {
    guard descriptor >= 0 else { return }
    _ = close(descriptor)
    descriptor = -1
    AtomicFile.openNames.withLock { _ = $0.remove(url.lastPathComponent) }
  }

  /// Removes what nobody writes any more.
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
