#if os(Linux)
  import DurabilityWork
  import Foundation
  import LarderSecrets
  import Synchronization
  import Testing

  /// The lock beside the file is removed, or replaced by another, while somebody waits for it.
  @Suite struct LostLockTests {
    private let folder: WorkFolder
    private let lock: String

    init() async throws {
      folder = try WorkFolder()
      lock = folder.path(".secrets.lock")
      try await folder.store().set(Secret("1"), for: token)
    }

    /// Not for the processes that other tests begin meanwhile.
    private func held() -> Int32 {
      let descriptor = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      return descriptor
    }

    /// Waits until somebody else in this process has a file open, or has given up.
    private func isOpened(beside descriptor: Int32, or isOver: () -> Bool = { false }) async throws {
      var own = stat()
      #expect(fstat(descriptor, &own) == 0)
      while !isOver() {
        let others = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
        let isOpen = others.contains { number in
          var status = stat()
          return number != descriptor && fstat(number, &status) == 0 && status.st_ino == own.st_ino
            && status.st_dev == own.st_dev
        }
        if isOpen { return }
        try await Task.sleep(for: .milliseconds(1))
      }
    }

    @Test(.timeLimit(.minutes(10))) func whoWaitedForOneThatIsGoneMakesAnother() async throws {
      let former = held()
      async let writing: Void = folder.store().set(Secret("2"), for: token)
      try await isOpened(beside: former)
      #expect(unlink(lock) == 0)
      close(former)
      try await writing
      #expect(folder.names == [".secrets.lock", "secrets"])
      #expect(try await folder.store().secret(for: token) == Secret("2"))
    }

    @Test(.timeLimit(.minutes(10))) func whoWaitedForOneThatWasReplacedWaitsForTheOther() async throws {
      let former = held()
      // Impatient, so that it ends; long enough to meet the other lock, or it would end with the same for the first.
      let store = EncryptedFileSecretStore(file: folder.file("secrets"), key: .known, patience: .seconds(2))
      let isOver = Mutex(false)
      async let problem = failure {
        defer { isOver.withLock { $0 = true } }
        try await store.set(Secret("2"), for: token)
      }
      try await isOpened(beside: former) { isOver.withLock { $0 } }
      #expect(unlink(lock) == 0)
      let present = held()
      close(former)
      #expect(await problem == .busy(file: folder.path("secrets")))
      #expect(try await folder.store().secret(for: token) == Secret("1"))
      close(present)
    }
  }
#endif
