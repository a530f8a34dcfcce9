import DurabilityWork
import Foundation
import LarderSecrets
import Testing

/// What was chosen once stays, whatever there is in later runs.
@Suite struct SystemStoreTests {
  private let folder: WorkFolder
  private let keyring = MemorySecretStore()

  init() throws { folder = try WorkFolder() }

  private func standard(keyring isThere: Bool, key: SecretKey? = .known) async throws(SecretError) -> SystemSecretStore
  {
    try await SystemSecretStore.standard(file: folder.file("secrets"), service: keyring) { () throws(SecretError) in
      guard let key else { throw .invalidKey(.missingVariable("KEY")) }
      return key
    } check: { () async throws(SecretError) in
      if !isThere { throw .unavailable(.bus) }
    }
  }

  @Test func aServiceThatDoesNotAnswerNowDecidesNothing() async throws {
    for error in [SecretError.timedOut, .cancelled, .service(domain: "d", code: 1)] {
      let thrown = await failure {
        _ = try await SystemSecretStore.standard(file: folder.file("secrets"), service: keyring) {
          .known
        } check: { () async throws(SecretError) in
          throw error
        }
      }
      #expect(thrown == error && folder.names.isEmpty)
    }
  }

  @Test func whoBeganWithTheKeyringStaysWithIt() async throws {
    let first = try await standard(keyring: true, key: nil)
    #expect(first.kind == .secretService)
    try await first.set(Secret("1"), for: token)
    #expect(try await keyring.secret(for: token) == Secret("1"))
    // In a session without one that is said, and no second store begun.
    #expect(await failure { _ = try await standard(keyring: false) } == .unavailable(.bus))
    #expect(folder.bytes("secrets") == nil)
    #expect(try await standard(keyring: true).secret(for: token) == Secret("1"))
    #expect(folder.mode("secrets.store") == 0o600)
  }

  @Test func whoBeganWithTheFileStaysWithIt() async throws {
    let first = try await standard(keyring: false)
    #expect(first.kind == .encryptedFile)
    let second = try await standard(keyring: true)
    #expect(second.kind == .encryptedFile)
    try await second.set(Secret("1"), for: token)
    #expect(try await folder.store().secret(for: token) == Secret("1"))
    #expect(try await second.names(of: "api.example") == [token])
    try await second.remove(token)
    #expect(try await first.secret(for: token) == nil)
  }

  @Test func aFileThatIsThereIsTaken() async throws {
    try await folder.store().set(Secret("1"), for: token)
    #expect(try await standard(keyring: true).secret(for: token) == Secret("1"))
  }

  @Test func withoutAKeyNothingIsDecided() async throws {
    #expect(
      await failure { _ = try await standard(keyring: false, key: nil) } == .invalidKey(.missingVariable("KEY")))
    #expect(folder.names.isEmpty)
    #expect(try await standard(keyring: true).kind == .secretService)
  }

  @Test func aChoiceThatCannotBeRead() async throws {
    for text in ["", "keychain\n", "something else\n"] {
      try Data(text.utf8).write(to: folder.file("secrets.store"))
      chmod(folder.path("secrets.store"), 0o600)
      #expect(
        await failure { _ = try await standard(keyring: true) } == .notASecretFile(file: folder.path("secrets.store")))
    }
  }

  @Test func manyThatChooseAtOnceChooseTheSame() async throws {
    let kinds = try await withThrowingTaskGroup(of: SystemSecretStore.Kind.self) { group in
      for number in 0..<16 {
        group.addTask {
          do throws(SecretError) {
            return try await standard(keyring: number % 2 == 0).kind
          } catch .unavailable {
            return .secretService
          }
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(kinds.count == 1)
  }
}
