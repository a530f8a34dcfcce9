import DurabilityWork
import Foundation
import LarderSecrets
import Testing

@Suite struct FileSharingTests {
  @Test func storesOfOneProcessLoseNothing() async throws {
    let folder = try WorkFolder()
    let stores = (0..<4).map { _ in folder.store() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<80 {
        group.addTask {
          try await stores[number % 4].set(Secret("\(number)"), for: SecretName(service: "s", account: "\(number)"))
        }
        group.addTask { _ = try await stores[(number + 1) % 4].names(of: "s") }
      }
      try await group.waitForAll()
    }
    #expect(try await folder.store().names(of: "s").count == 80)
  }

  @Test func processesLoseNothing() async throws {
    let folder = try WorkFolder()
    let count = 60
    let victims = try (0..<3).map { number in
      try ChildProcess(
        "SecretVictim", ["add", folder.path("secrets"), "p\(number)-", "\(count)"], output: folder.file("out\(number)"))
    }
    for number in 0..<count {
      try await folder.store().set(Secret("\(number)"), for: SecretName(service: "victim", account: "own\(number)"))
    }
    for victim in victims {
      #expect(victim.wait() == .exit(0))
      #expect(victim.printed == "added\n")
    }
    #expect(try await folder.store().names(of: "victim").count == 4 * count)
  }

  @Test func aLockThatIsNeverGivenBack() async throws {
    let folder = try WorkFolder()
    let store = EncryptedFileSecretStore(file: folder.file("secrets"), key: .known, lockTimeout: .milliseconds(50))
    try await store.set(Secret("1"), for: token)
    // Not for the processes that other tests begin meanwhile.
    let lock = open(folder.path(".secrets.lock"), O_RDWR | O_CLOEXEC)
    #expect(flock(lock, LOCK_EX) == 0)
    #expect(await failure { try await store.set(Secret("2"), for: other) } == .busy(file: folder.path("secrets")))
    #expect(try await store.secret(for: token) == Secret("1"), "Reading needs no lock.")
    close(lock)
    // With patience: a process that another test begins just now may have the lock until it runs its program.
    try await folder.store().set(Secret("2"), for: other)
  }
}
