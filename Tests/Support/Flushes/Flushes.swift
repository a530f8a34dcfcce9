#if os(Linux)
  import Glibc
  import Synchronization

  /// What is written to the disk in this process, which may be watched and made to fail.
  public enum Flushes {
    fileprivate static let watcher = Mutex<(@Sendable (Int32) -> Int32?)?>(nil)

    /// - Parameter watcher: Is given the descriptor of each file or folder, and returns the error's number where it is to
    ///   fail.
    public static func watch(_ watcher: @escaping @Sendable (Int32) -> Int32?) {
      self.watcher.withLock { $0 = watcher }
    }

    public static func isFolder(_ descriptor: Int32) -> Bool {
      var status = stat()
      return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The system's own, which the one below hides.
    fileprivate static let system = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "fsync").map {
      unsafeBitCast($0, to: (@convention(c) (Int32) -> Int32).self)
    }
  }

  /// fsync(2) for the whole of this process: nothing else tells that a folder was written to the disk, and no disk can be
  /// had that takes files and fails for folders.
  @_cdecl("fsync") public func flush(_ descriptor: Int32) -> Int32 {
    if let number = Flushes.watcher.withLock({ $0 })?(descriptor) {
      errno = number
      return -1
    }
    return Flushes.system?(descriptor) ?? -1
  }
#endif
