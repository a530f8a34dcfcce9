import DurabilityWork
import Foundation
import LarderSecrets
import Testing

@Suite(.serialized) struct SecretKeyTests {
  @Test func aKeyHas32Bytes() {
    for count in [0, 1, 31, 33, 64] {
      #expect(throws: SecretError.invalidKey(.wrongLength(count))) {
        try SecretKey(bytes: repeatElement(1, count: count))
      }
    }
  }

  @Test func randomKeysDiffer() throws {
    #expect(try SecretKey.random() != SecretKey.random())
  }

  @Test func base64ComesBack() throws {
    for first in [0, 7, 200] as [UInt8] {
      let key = SecretKey.counting(from: first)
      let text = key.base64().text() ?? ""
      #expect(text == Data(first..<(first + 32)).base64EncodedString())
      #expect(try keyInVariable(text) == key)
      #expect(try keyInVariable(" \(text)\n") == key)
      let bare = text.replacing("=", with: "")
      #expect(try keyInVariable(bare) == key)
    }
  }

  @Test func whatIsNoKeyInTheEnvironment() throws {
    #expect(throws: SecretError.invalidKey(.missingVariable("LARDER_NO_KEY"))) {
      try SecretKey.environment("LARDER_NO_KEY")
    }
    let cases: [(String, SecretError.InvalidKeyReason)] = [
      ("", .wrongLength(0)), ("AAAA", .wrongLength(3)), ("A", .notBase64), ("====", .notBase64), ("AA-_", .notBase64),
      ("A A=", .notBase64),
      (String(repeating: "0a", count: 32), .hexadecimal), (String(repeating: "0A", count: 16) + "\n", .hexadecimal),
      ("käse", .notBase64),
    ]
    for (text, problem) in cases {
      #expect(throws: SecretError.invalidKey(problem, in: "LARDER_TEST_KEY"), "\(text)") { try keyInVariable(text) }
    }
  }

  @Test func aKeyFileIsTheUsersOwn() throws {
    let folder = try WorkFolder()
    let key = try SecretKey.random()
    for bytes in [key.base64().withBytes { Data($0) } + Data("\n".utf8), Data(0..<32)] {
      try bytes.write(to: folder.file("key"))
      chmod(folder.path("key"), 0o600)
      #expect(try SecretKey.file(folder.file("key")) == (bytes.count == 32 ? .known : key))
    }
    for mode in [0o640, 0o604, 0o620, 0o602, 0o610] as [mode_t] {
      chmod(folder.path("key"), mode)
      #expect(throws: SecretError.insecureFile(file: folder.path("key"), .permissions(Int(mode)))) {
        try SecretKey.file(folder.file("key"))
      }
    }
    #expect(throws: SecretError.invalidKey(.missingFile(folder.path("none")))) {
      try SecretKey.file(folder.file("none"))
    }
    try Data(count: 257).write(to: folder.file("long"))
    chmod(folder.path("long"), 0o600)
    #expect(throws: SecretError.tooLarge(file: folder.path("long"), limit: 256)) {
      try SecretKey.file(folder.file("long"))
    }
  }

  /// As `openssl rand -hex 16 | tr -d '\n'` and its like write them: taken for bytes they would be half a key.
  @Test func digitsAreNoKeysBytes() throws {
    let folder = try WorkFolder()
    let texts = [
      "0123456789abcdef0123456789abcdef", "0123456789ABCDEF0123456789ABCDEF", "AbCdEfGhIjKlMnOpQrStUvWxYz01+/+/",
      "AbCdEfGhIjKlMnOpQrStUvWxYz01-_-_", "AbCdEfGhIjKlMnOpQrStUvWxYz0123==",
    ]
    try withVariable(folder.url.path(percentEncoded: false), "CREDENTIALS_DIRECTORY") {
      for text in texts {
        try Data(text.utf8).write(to: folder.file("key"))
        chmod(folder.path("key"), 0o600)
        #expect(throws: SecretError.invalidKey(.encodedDigits, in: folder.path("key")), "\(text)") {
          try SecretKey.file(folder.file("key"))
        }
        #expect(throws: SecretError.invalidKey(.encodedDigits, in: folder.path("key")), "\(text)") {
          try SecretKey.credential("key")
        }
      }
      // One byte that is no digit, and they are bytes.
      let bytes = Data(texts[0].utf8.dropLast()) + [0x80]
      try bytes.write(to: folder.file("key"))
      let key = try SecretKey(bytes: bytes)
      #expect(try SecretKey.file(folder.file("key")) == key)
    }
  }

  @Test func credentialsOfSystemd() throws {
    let folder = try WorkFolder()
    try Data(0..<32).write(to: folder.file("larder-key"))
    // As systemd hands them over: by an access list, which shows as the group's right.
    chmod(folder.path("larder-key"), 0o440)
    try withVariable(folder.url.path(percentEncoded: false), "CREDENTIALS_DIRECTORY") {
      let found = try SecretKey.credential("larder-key")
      #expect(found == .known)
      for name in ["", ".", "..", "../larder-key", "/etc/passwd"] {
        #expect(throws: SecretError.invalidName) { try SecretKey.credential(name) }
      }
    }
    #expect(throws: SecretError.invalidKey(.missingCredentialsDirectory)) { try SecretKey.credential("larder-key") }
  }

  private func keyInVariable(_ value: String) throws -> SecretKey {
    setenv("LARDER_TEST_KEY", value, 1)
    defer { unsetenv("LARDER_TEST_KEY") }
    return try SecretKey.environment("LARDER_TEST_KEY")
  }

  private func withVariable(_ value: String, _ name: String, _ body: () throws -> Void) throws {
    setenv(name, value, 1)
    defer { unsetenv(name) }
    try body()
  }
}
