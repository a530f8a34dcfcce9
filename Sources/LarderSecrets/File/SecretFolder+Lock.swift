#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension SecretFolder {
  /// Runs the body while holding the file's lock, which excludes other processes and other stores of this process.
  ///
  /// The lock is on a companion file, which is never replaced, since each write replaces the file itself. If the companion was
  /// removed or replaced, the file that now has its name is the lock. The kernel releases the lock when its holder ends, in any
  /// way.
  ///
  /// The lock is checked after it is acquired, and once more directly before the file is replaced. If the companion is removed
  /// between
  /// that check and the replacement, two processes write at the same time and one write is lost; each file is intact nevertheless.
  ///
  /// - Parameter body: A closure that receives the lock, for ``replace(with:under:)``. It runs again if the lock was lost before
  ///   the file was replaced.
  func withLock<R>(
    timeout patience: Duration, _ body: (borrowing FileDescriptor) throws(SecretError) -> R
  ) throws(SecretError) -> R {
    let end = ContinuousClock.now + patience
    while true {
      let lock = try openLockFile()
      try acquire(lock, until: end)
      // After the companion was removed, another process locks a new one, and would write at the same time.
      if isCurrentLock(lock) {
        do throws(SecretError) {
          return try body(lock)
        } catch {
          guard case .busy = error, ContinuousClock.now < end else { throw error }
        }
      }
      guard ContinuousClock.now < end else { throw .busy(file: filePath) }
    }
  }

  private var lockName: String { ".\(name).lock" }
  private var lockPath: String { folderPath + (folderPath.hasSuffix("/") ? "" : "/") + lockName }

  private func openLockFile() throws(SecretError) -> FileDescriptor {
    let number = openat(descriptor.number, lockName, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard number >= 0 else {
      if errno == ELOOP { throw .insecureFile(file: lockPath, .symbolicLink) }
      throw failure(.lock)
    }
    let lock = FileDescriptor(number: number)
    // A process that can open the companion could hold its lock for ever.
    _ = try validate(lock, path: lockPath)
    return lock
  }

  private func acquire(_ lock: borrowing FileDescriptor, until end: ContinuousClock.Instant) throws(SecretError) {
    var pause: UInt32 = 500
    while flock(lock.number, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw failure(.lock) }
      guard ContinuousClock.now < end else { throw .busy(file: filePath) }
      // Polls, since flock(2) has no time-out. The random pause avoids contention with other waiting processes.
      usleep(.random(in: pause / 2...pause))
      pause = min(pause * 2, 10_000)
    }
  }

  /// Returns whether the locked file still has the lock's name.
  func isCurrentLock(_ lock: borrowing FileDescriptor) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(lock.number, &own) == 0
      && fstatat(descriptor.number, lockName, &named, AT_SYMLINK_NOFOLLOW) == 0
      && own.st_dev == named.st_dev && own.st_ino == named.st_ino
  }
}
