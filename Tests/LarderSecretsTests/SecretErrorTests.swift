import DurabilityWork
import Foundation
import LarderSecrets
import Testing

@Suite struct SecretErrorTests {
  private static let every: [SecretError] =
    [
      .invalidName, .noRandomness, .wrongKey(file: "/f"), .keyTypeMismatch(file: "/f", needsPassphrase: true),
      .keyTypeMismatch(file: "/f", needsPassphrase: false), .notASecretFile(file: "/f"),
      .unsupportedVersion(file: "/f", version: 2), .excessiveCost(file: "/f"), .tooLarge(file: "/f", limit: 7),
      .insecureFile(file: "/f", .permissions(0o644)), .insecureFile(file: "/f", .owner(7)),
      .insecureFile(file: "/f", .symbolicLink), .insecureFile(file: "/f", .notRegular), .busy(file: "/f"), .locked,
      .userDeclined, .timedOut, .cancelled, .service(domain: "d", code: 7), .keychain(status: -7),
      .unavailable(.library), .unavailable(.bus), .unavailable(.service), .unavailable(.keyring),
      .system(.harden, file: "", errno: EPERM),
    ]
    + ([.empty, .truncated, .overlong, .header, .contents] as [SecretError.CorruptionReason]).map {
      .corrupted(file: "/f", $0)
    }
    + ([.open, .read, .write, .lock, .flush, .rename, .flushFolder] as [SecretError.SystemOperation])
    .map { .system($0, file: "/f", errno: ENOSPC) }
    + ([
      .wrongLength(7), .notBase64, .hexadecimal, .missingVariable("V"), .missingFile("F"), .missingCredentialsDirectory,
      .encodedDigits,
      .emptyPassphrase,
      .derivationFailed,
    ] as [SecretError.InvalidKeyReason]).map { .invalidKey($0) } + [
      .invalidKey(.wrongLength(7), in: "V"), .invalidKey(.encodedDigits, in: "/f"),
    ]

  @Test(arguments: every) func eachSaysWhatAndWhatToDo(_ error: SecretError) {
    for sentence in [error.summary + ".", error.advice] {
      #expect(sentence.first?.isUppercase == true || sentence.hasPrefix("/f"), "\(sentence)")
      #expect(sentence.hasSuffix(".") && !sentence.hasSuffix("..") && sentence.count > 20, "\(sentence)")
    }
    #expect(error.description == "\(error.summary). \(error.advice)")
    #expect(error.errorDescription == error.description && error.recoverySuggestion == error.advice)
    #expect((error as any Error).localizedDescription == error.errorDescription)
  }

  @Test func eachIsToldFromTheOthers() {
    #expect(Set(Self.every.map(\.description)).count == Self.every.count)
    #expect("\(SecretError.insecureFile(file: "/f", .permissions(0o644)))".contains("0644"))
    #expect(SecretError.system(.open, file: "/f", errno: ENOENT).advice.contains("make it first"))
    let flushed = SecretError.system(.flushFolder, file: "/f", errno: EIO)
    #expect(!flushed.advice.contains("as it was") && flushed.advice.contains("in its place"))
  }

  /// Whatever fails, neither the secret nor the key nor the passphrase is in what is thrown, nor in what holds them.
  @Test func canaries() async throws {
    let canary = "canary-7f3a"
    let folder = try WorkFolder()
    let key = try SecretKey(Secret("canary-7f3a-of-the-key-32-bytes!"))
    let store = folder.store(key: key)
    let name = SecretName(service: "service", account: "canary-7f3a-account")
    try await store.set(Secret(canary), for: name)
    let phrase = try EncryptedFileSecretStore(
      file: folder.file("phrase"), passphrase: Secret(canary), cost: .cheap)
    try await phrase.set(Secret(canary), for: name)
    let wrong = try EncryptedFileSecretStore(
      file: folder.file("phrase"), passphrase: Secret(canary + "2"), cost: .cheap)
    let whole = try #require(folder.bytes("secrets"))

    var said: [Any] = [store, phrase, wrong, MemorySecretStore([token: Secret(canary)])]
    func note(_ body: () async throws -> Void) async {
      do {
        try await body()
        Issue.record("nothing failed")
      } catch { said.append(error) }
    }
    await note { _ = try await folder.store().secret(for: name) }
    await note { _ = try await wrong.secret(for: name) }
    await note { try await wrong.set(Secret(canary), for: name) }
    await note { _ = try await folder.store("phrase", key: key).secret(for: name) }
    await note { try await store.set(Secret(repeatElement(1, count: 2 << 20)), for: name) }
    await note { _ = try SecretKey(bytes: canary.utf8) }
    await note { try await store.set(Secret(canary), for: SecretName(service: canary + "\0", account: "")) }
    for damage in [whole.prefix(90), whole + [0], whole.prefix(whole.count - 1) + [whole[whole.count - 1] ^ 1]] {
      try Data(damage).write(to: folder.file("damaged"))
      chmod(folder.path("damaged"), 0o600)
      await note { _ = try await folder.store("damaged", key: key).secret(for: name) }
      await note { try await folder.store("damaged", key: key).set(Secret(canary), for: name) }
    }
    chmod(folder.path("secrets"), 0o644)
    await note { _ = try await store.secret(for: name) }

    var shown = ""
    for value in said {
      shown += "\(value)\n" + String(reflecting: value) + "\n"
      if let error = value as? SecretError {
        shown += [error.localizedDescription, error.errorDescription ?? "", error.failureReason ?? ""].joined()
      }
      dump(value, to: &shown)
    }
    #expect(shown.contains("redacted"), "The dump went as deep as it could.")
    #expect(!shown.contains("canary-7f3a"))
    #expect(!shown.contains(Data(canary.utf8).base64EncodedString()))
    #expect(!shown.contains(key.base64().text() ?? "canary"))
    // A number each, as a dump of bytes shows them.
    #expect(!shown.contains("- 99\n") || !shown.contains("- 97\n"))
  }
}
