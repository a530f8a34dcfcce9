#if os(Linux)
  import Foundation
  import LarderSecrets
  import Synchronization

  private let foldersFail = Atomic(false)
  /// The system's own, which the one below hides.
  private let systemFlush = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "fsync").map {
    unsafeBitCast($0, to: (@convention(c) (Int32) -> Int32).self)
  }

  /// fsync(2) for the whole of this process. No disk can be had that takes files and fails for folders.
  @_cdecl("fsync") public func flush(_ descriptor: Int32) -> Int32 {
    var status = stat()
    if foldersFail.load(ordering: .relaxed), fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      errno = EIO
      return -1
    }
    return systemFlush?(descriptor) ?? -1
  }

  /// Writes where the folder cannot be flushed, and looks at what is there then.
  func writeUnflushed(_ path: String) async throws {
    let name = SecretName(service: service, account: "account")
    try await store(path).set(Secret("former"), for: name)
    foldersFail.store(true, ordering: .relaxed)
    do {
      try await store(path).set(Secret("new"), for: name)
      print("written")
    } catch { print("write \(error.kindName)") }
    print("read \(try await store(path).secret(for: name)?.text() ?? "nil")")
  }
#endif
