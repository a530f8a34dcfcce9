import DurabilityWork
import Foundation
import LarderSecrets
import Testing

@Suite struct EncryptedFileTests {
  @Test func roundTrips() async throws {
    let folder = try WorkFolder()
    let store = folder.store()
    #expect(try await store.secret(for: token) == nil)
    #expect(try await store.names(of: "api.example").isEmpty)
    #expect(folder.bytes("secrets") == nil, "Reading makes no file.")
    for secret in [Secret("one"), Secret(""), Secret(0...255), Secret(repeatElement(9, count: 100_000))] {
      try await store.set(secret, for: token)
      try await store.set(Secret("2"), for: other)
      #expect(try await store.secret(for: token) == secret)
      #expect(try await folder.store().secret(for: token) == secret, "Another store of the same file has it, too.")
    }
    #expect(try await store.names(of: "api.example") == [other, token])
    #expect(try await store.names(of: "api").isEmpty)
    try await store.remove(token)
    try await store.remove(token)
    #expect(try await store.secret(for: token) == nil)
    #expect(try await store.names(of: "api.example") == [other])
    #expect(folder.mode("secrets") == 0o600)
    #expect(folder.names == [".secrets.lock", "secrets"])
  }

  @Test func nothingIsInTheClearAndNoTwoWritingsAreAlike() async throws {
    let folder = try WorkFolder()
    let store = folder.store()
    var writings: [Data] = []
    for _ in 0..<20 {
      try await store.set(Secret("canary"), for: token)
      writings.append(try #require(folder.bytes("secrets")))
    }
    for writing in writings {
      for text in ["canary", "api.example", "token"] { #expect(writing.range(of: Data(text.utf8)) == nil) }
    }
    // The salt and the nonce of each.
    #expect(Set(writings.map { $0[32..<48] }).count == 20 && Set(writings.map { $0[80..<92] }).count == 20)
  }

  @Test func namesThatCannotBeKept() async throws {
    let folder = try WorkFolder()
    let long = String(repeating: "a", count: SecretName.maximumLength + 1)
    for (service, account) in [("", "a"), ("a", ""), ("a\0", "a"), ("a", "\0"), (long, "a"), ("a", long)] {
      let name = SecretName(service: service, account: account)
      for store: any SecretStore in [folder.store(), MemorySecretStore()] {
        #expect(await failure { try await store.set(Secret("1"), for: name) } == .invalidName)
        #expect(await failure { _ = try await store.secret(for: name) } == .invalidName)
        #expect(await failure { try await store.remove(name) } == .invalidName)
      }
    }
  }

  @Test func aWrongKeyIsAnErrorAndNoWipe() async throws {
    let folder = try WorkFolder()
    try await folder.store().set(Secret("1"), for: token)
    let bytes = folder.bytes("secrets")
    let stranger = folder.store(key: .counting(from: 1))
    let expected = SecretError.wrongKey(file: folder.path("secrets"))
    #expect(await failure { _ = try await stranger.secret(for: token) } == expected)
    #expect(await failure { try await stranger.set(Secret("2"), for: other) } == expected)
    #expect(await failure { try await stranger.remove(token) } == expected)
    #expect(await failure { _ = try await stranger.names(of: "api.example") } == expected)
    #expect(await failure { _ = try await stranger.replaceKey(with: .known) } == expected)
    let guess = try EncryptedFileSecretStore(file: folder.file("secrets"), passphrase: Secret("guess"), cost: .cheap)
    let otherKind = SecretError.keyTypeMismatch(file: folder.path("secrets"), needsPassphrase: false)
    #expect(await failure { try await guess.set(Secret("2"), for: other) } == otherKind)
    #expect(folder.bytes("secrets") == bytes)
    #expect(try await folder.store().secret(for: token) == Secret("1"))
  }

  @Test func passphrases() async throws {
    let folder = try WorkFolder()
    func store(_ passphrase: String, _ cost: ScryptCost = .cheap) throws -> EncryptedFileSecretStore {
      try EncryptedFileSecretStore(file: folder.file("secrets"), passphrase: Secret(passphrase), cost: cost)
    }
    try await store("right").set(Secret("1"), for: token)
    #expect(try await store("right", .light).secret(for: token) == Secret("1"), "The file's own cost counts.")
    #expect(
      await failure { _ = try await store("wrong").secret(for: token) } == .wrongKey(file: folder.path("secrets")))
    #expect(
      await failure { _ = try await folder.store().secret(for: token) }
        == .keyTypeMismatch(file: folder.path("secrets"), needsPassphrase: true))
    #expect(await failure { _ = try store("") } == .invalidKey(.emptyPassphrase))
    // A writing with another cost takes that one.
    try await store("right", .light).set(Secret("2"), for: other)
    #expect(folder.bytes("secrets")?[10] == 15)
    #expect(try await store("right").secret(for: token) == Secret("1"))
  }

  @Test func keysAreReplaced() async throws {
    let folder = try WorkFolder()
    let former = folder.store()
    try await former.set(Secret("1"), for: token)
    let key = try SecretKey.random()
    let next = try await former.replaceKey(with: key)
    #expect(try await next.secret(for: token) == Secret("1"))
    #expect(await failure { try await former.set(Secret("2"), for: other) } == .wrongKey(file: folder.path("secrets")))
    let last = try await next.replaceKey(withPassphrase: Secret("phrase"), cost: .cheap)
    #expect(try await last.secret(for: token) == Secret("1"))
    let back = try await last.replaceKey(with: .known)
    #expect(try await back.secret(for: token) == Secret("1"))
    #expect(try await former.secret(for: token) == Secret("1"))
  }

  @Test func noFileBecomesTooLarge() async throws {
    let folder = try WorkFolder()
    let store = folder.store()
    try await store.set(Secret("1"), for: token)
    let limit = EncryptedFileSecretStore.maximumFileSize
    let tooLarge = SecretError.tooLarge(file: folder.path("secrets"), limit: limit)
    #expect(await failure { try await store.set(Secret(repeatElement(1, count: limit)), for: other) } == tooLarge)
    #expect(try await store.names(of: "api.example") == [token])
    try Data(count: limit + 1).write(to: folder.file("secrets"))
    chmod(folder.path("secrets"), 0o600)
    #expect(await failure { _ = try await store.secret(for: token) } == tooLarge)
  }

  @Test func aFileThatIsNamedFromElsewhere() async throws {
    let folder = try WorkFolder()
    let file = URL(filePath: "secrets", relativeTo: folder.url)
    try await EncryptedFileSecretStore(file: file, key: .known).set(Secret("1"), for: token)
    #expect(try await folder.store().secret(for: token) == Secret("1"))
  }

  @Test func secretsAreCopiedFromStoreToStore() async throws {
    let folder = try WorkFolder()
    let memory = MemorySecretStore([token: Secret("1"), SecretName(service: "else", account: "a"): Secret("2")])
    try await memory.copySecrets(of: "api.example", to: folder.store())
    #expect(try await folder.store().secret(for: token) == Secret("1"))
    #expect(try await folder.store().names(of: "else").isEmpty)
    try await memory.remove(token)
    #expect(try await memory.names(of: "api.example").isEmpty)
  }
}
