#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension SecretFolder {
  /// Does something that nobody else does to the file meanwhile: no other process, and no other store of this one.
  ///
  /// The lock is on a companion, which stays: the file itself is another one after each replacement. Where somebody has
  /// removed or replaced the companion, it is the one of that name that counts. The kernel gives the lock back when its
  /// holder ends, however that ends.
  ///
  /// That is seen when it is taken, and once more right before the file is replaced. Somebody who removes it in the moment
  /// between that and the replacement lets two write at once, of which one is lost: each file is whole all the same.
  ///
  /// - Parameter body: Is given the lock, for ``replace(with:under:)``. It is done anew where the lock was lost before it
  ///   had replaced the file.
  func withLock<R>(
    timeout patience: Duration, _ body: (borrowing FileDescriptor) throws(SecretError) -> R
  ) throws(SecretError) -> R {
    let end = ContinuousClock.now + patience
    while true {
      let lock = try openLockFile()
      try acquire(lock, until: end)
      // Whoever comes after it was removed locks another one, and would write at the same time.
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
    // Who could open it could hold it for ever.
    _ = try validate(lock, path: lockPath)
    return lock
  }

  private func acquire(_ lock: borrowing FileDescriptor, until end: ContinuousClock.Instant) throws(SecretError) {
    var pause: UInt32 = 500
    while flock(lock.number, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw failure(.lock) }
      guard ContinuousClock.now < end else { throw .busy(file: filePath) }
      // Asked for again and again, since flock(2) has no time-out; not in step with others who do the same.
      usleep(.random(in: pause / 2...pause))
      pause = min(pause * 2, 10_000)
    }
  }

  /// Whether the file that is locked is the one of the lock's name.
  func isCurrentLock(_ lock: borrowing FileDescriptor) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(lock.number, &own) == 0
      && fstatat(descriptor.number, lockName, &named, AT_SYMLINK_NOFOLLOW) == 0
      && own.st_dev == named.st_dev && own.st_ino == named.st_ino
  }
}
