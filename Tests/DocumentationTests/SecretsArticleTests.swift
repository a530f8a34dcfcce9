import Foundation
import LarderSecrets
import Testing

/// The steps of SecretsOnServersAndDesktops.md, each run.
@Suite(.serialized) struct SecretsArticleTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)")
  private var file: URL { folder.appending(path: "secrets") }

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false) }

  @Test func secretsAreKept() async throws {
    let store = EncryptedFileSecretStore(file: file, key: try .random())
    let token = "t0ken"
    // snippet: keepSecret
    let name = SecretName(service: "api.example", account: "refresh-token")
    try await store.set(Secret(token), for: name)
    let kept = try await store.secret(for: name)
    let header = kept?.text().map { "Bearer \($0)" }
    // snippet end
    #expect(header == "Bearer t0ken")
    #expect(await refreshToken(in: store) == Secret(token))
    let wrong = EncryptedFileSecretStore(file: file, key: try .random())
    #expect(await refreshToken(in: wrong) == nil)
    #expect(throws: SecretError.invalidKey(.missingCredentialsDirectory)) {
      _ = try SecretKey.credential("larder-key")
    }
  }

  @Test func keysComeFromOutside() throws {
    let made = try SecretKey.random()
    let text = made.base64().withBytes { Data($0) }
    let keyFile = folder.appending(path: "key")
    #expect(
      FileManager.default.createFile(
        atPath: keyFile.path(), contents: text, attributes: [.posixPermissions: 0o600]))
    try { () throws(SecretError) in
      // snippet: keyFile
      let key = try SecretKey.file(keyFile)
      // snippet end
      #expect(key == made)
    }()
    setenv("LARDER_KEY", String(decoding: text, as: UTF8.self), 1)
    defer { unsetenv("LARDER_KEY") }
    // snippet: keyVariable
    let key = try SecretKey.environment("LARDER_KEY")
    // snippet end
    #expect(key == made)
  }

  @Test func theSystemsStore() async throws {
    setenv("LARDER_KEY", try #require(try SecretKey.random().base64().text()), 1)
    defer { unsetenv("LARDER_KEY") }
    // Chosen before, so that no keyring of whoever runs this is asked.
    let choice = folder.appending(path: "secrets.store").path()
    #expect(
      FileManager.default.createFile(
        atPath: choice, contents: Data("encrypted-file\n".utf8), attributes: [.posixPermissions: 0o600]))
    // snippet: systemStore
    let store = try await SystemSecretStore.standard(file: file, key: try .environment("LARDER_KEY"))
    print("Secrets are kept by: \(store.kind.rawValue)")
    // snippet end
    #expect(store.kind == .encryptedFile)
    let name = SecretName(service: "api.example", account: "refresh-token")
    do {
      // snippet: keyring
      let keyring = SecretServiceStore(allowsPrompts: false, timeout: .seconds(10))
      // snippet end
      _ = keyring
    }
    let keyring = MemorySecretStore([name: Secret("1")])
    // snippet: copySecrets
    try await keyring.copySecrets(of: "api.example", to: store)
    // snippet end
    #expect(try await store.secret(for: name) == Secret("1"))
  }

  @Test func passphrases() async throws {
    let typed = "a phrase that nobody guesses"
    // snippet: passphrase
    let passphrase = Secret(typed)
    let store = try EncryptedFileSecretStore(file: file, passphrase: passphrase, cost: .light)
    // snippet end
    #expect(await refreshToken(in: store) == nil)
  }

  @Test func keysAreChanged() async throws {
    let (formerKey, newKey) = (try SecretKey.random(), try SecretKey.random())
    let name = SecretName(service: "api.example", account: "refresh-token")
    try await EncryptedFileSecretStore(file: file, key: formerKey).set(Secret("1"), for: name)
    // snippet: changeKey
    let former = EncryptedFileSecretStore(file: file, key: formerKey)
    let store = try await former.replaceKey(with: newKey)
    // snippet end
    #expect(try await store.secret(for: name) == Secret("1"))
    #expect(await refreshToken(in: former) == nil)
  }
}
