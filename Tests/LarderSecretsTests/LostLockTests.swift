#if os(Linux)
  import DurabilityWork
  import Foundation
  @testable import LarderSecrets
  import Patience
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
      try await until("somebody to open the lock") {
        if isOver() { return true }
        let others = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
        return others.contains { number in
          var status = stat()
          return number != descriptor && fstat(number, &status) == 0 && status.st_ino == own.st_ino
            && status.st_dev == own.st_dev
        }
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
      // More patient than this test: else it could end by the former lock, on a machine that is slow.
      let store = EncryptedFileSecretStore(file: folder.file("secrets"), key: .known, lockTimeout: .seconds(3_600))
      let isOver = Mutex(false)
      async let problem = failure {
        defer { isOver.withLock { $0 = true } }
        try await store.set(Secret("2"), for: token)
      }
      try await isOpened(beside: former) { isOver.withLock { $0 } }
      #expect(unlink(lock) == 0)
      let present = held()
      close(former)
      try await isOpened(beside: present) { isOver.withLock { $0 } }
      #expect(!isOver.withLock { $0 })
      #expect(try await folder.store().secret(for: token) == Secret("1"))
      close(present)
      #expect(await problem == nil)
      #expect(try await folder.store().secret(for: token) == Secret("2"))
    }

    /// Replaces the file; the lock goes while that is under way for the first time.
    private func replace(patience: Duration) throws -> (rounds: Int, problem: SecretError?) {
      let own = try SecretFolder(of: folder.file("secrets"))
      var rounds = 0
      do throws(SecretError) {
        try own.withLock(timeout: patience) { (held: borrowing FileDescriptor) throws(SecretError) in
          rounds += 1
          if rounds == 1 { #expect(unlink(lock) == 0) }
          try own.replace(with: [1, 2, 3], under: held)
        }
        return (rounds, nil)
      } catch {
        return (rounds, error)
      }
    }

    /// Whoever has made another lock may have read the former file.
    @Test func whoLosesItWhileWritingBeginsAnew() throws {
      let (rounds, problem) = try replace(patience: .seconds(3_600))
      #expect(rounds == 2 && problem == nil)
      #expect(folder.names == [".secrets.lock", "secrets"])
      #expect(try Data(contentsOf: folder.file("secrets")) == Data([1, 2, 3]))
    }

    @Test func whoHasNoPatienceLeftChangesNothing() throws {
      let before = try Data(contentsOf: folder.file("secrets"))
      let (rounds, problem) = try replace(patience: .zero)
      #expect(rounds == 1 && problem == .busy(file: folder.path("secrets")))
      #expect(folder.names == ["secrets"])
      #expect(try Data(contentsOf: folder.file("secrets")) == before)
    }
  }
#endif
