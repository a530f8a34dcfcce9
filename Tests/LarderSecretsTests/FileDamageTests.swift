import DurabilityWork
import Foundation
import LarderSecrets
import Testing

/// Whatever happened to a file, it is said, and the file stays as it is.
@Suite struct FileDamageTests {
  private let folder: WorkFolder
  private let whole: Data

  init() async throws {
    folder = try WorkFolder()
    try await folder.store().set(Secret("a secret"), for: token)
    whole = try #require(folder.bytes("secrets"))
  }

  /// What reading and changing a file of these bytes is answered with.
  private func answer(_ bytes: Data, key: SecretKey = .known) async throws -> SecretError? {
    try bytes.write(to: folder.file("damaged"))
    chmod(folder.path("damaged"), 0o600)
    let store = folder.store("damaged", key: key)
    let read = await failure { _ = try await store.secret(for: token) }
    let written = await failure { try await store.set(Secret("2"), for: other) }
    #expect(read == written)
    #expect(folder.bytes("damaged") == bytes)
    return read
  }

  private func damaged(_ damage: SecretError.CorruptionReason) -> SecretError {
    .corrupted(file: folder.path("damaged"), damage)
  }

  @Test func truncatedAnywhere() async throws {
    #expect(try await answer(Data()) == damaged(.empty))
    for count in 1..<whole.count {
      #expect(try await answer(whole.prefix(count)) == damaged(.truncated), "\(count)")
    }
    #expect(try await answer(whole + [0]) == damaged(.overlong))
  }

  @Test func eachByteChanged() async throws {
    for index in whole.indices {
      for change in [0x01, 0x80, 0xFF] as [UInt8] {
        var bytes = whole
        bytes[index] ^= change
        let expected: SecretError =
          switch index {
          case ..<8: .notASecretFile(file: folder.path("damaged"))
          case 8: .unsupportedVersion(file: folder.path("damaged"), version: Int(1 ^ change))
          case ..<112: damaged(.header)
          default: damaged(.contents)
          }
        #expect(try await answer(bytes) == expected, "byte \(index)")
      }
    }
  }

  /// Someone who knows the format sets the header's sum right again, and is found out by the tag or by the check.
  @Test func eachByteOfTheHeaderChangedWithItsSum() async throws {
    for index in 9..<96 {
      var bytes = whole
      bytes[index] ^= 0x01
      bytes.replaceSubrange(96..<112, with: Sum.sha256(bytes.prefix(96)).prefix(16))
      let expected: SecretError =
        switch index {
        // A passphrase's file whose cost is zero.
        case 9: .excessiveCost(file: folder.path("damaged"))
        case 10..<13, 16..<32, 80..<92: damaged(.contents)
        case 13..<16: damaged(.header)
        case 92..<96: damaged(index == 92 && whole[92] & 1 == 1 ? .overlong : .truncated)
        // The salt and the check: as with another key.
        default: .wrongKey(file: folder.path("damaged"))
        }
      #expect(try await answer(bytes) == expected, "byte \(index)")
    }
  }

  @Test func costsThatAreTooHigh() async throws {
    let passphrase = Secret("phrase")
    let store = try EncryptedFileSecretStore(file: folder.file("phrase"), passphrase: passphrase, cost: .cheap)
    try await store.set(Secret("1"), for: token)
    let whole = try #require(folder.bytes("phrase"))
    for cost in [(19, 8, 1), (18, 9, 1), (18, 8, 2), (255, 255, 255), (10, 0, 1), (10, 8, 0), (9, 8, 1)] {
      var bytes = whole
      for (place, value) in [cost.0, cost.1, cost.2].enumerated() { bytes[10 + place] = UInt8(value) }
      bytes.replaceSubrange(96..<112, with: Sum.sha256(bytes.prefix(96)).prefix(16))
      try bytes.write(to: folder.file("phrase"))
      #expect(
        await failure { _ = try await store.secret(for: token) } == .excessiveCost(file: folder.path("phrase")),
        "\(cost)")
    }
  }

  @Test func otherFiles() async throws {
    for text in ["{}", "-----BEGIN PRIVATE KEY-----", "SQLite format 3\0"] {
      #expect(try await answer(Data(text.utf8)) == .notASecretFile(file: folder.path("damaged")))
    }
  }

  @Test func randomBytes() async throws {
    var random = SeededGenerator(seed: Share.seed)
    for round in 0..<Share.rounds(of: 20_000, atLeast: 500) {
      var bytes = whole
      switch round % 3 {
      case 0:
        for _ in 0..<(1 + random.next() % 4) {
          bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        guard bytes != whole else { continue }
      case 1: bytes = Data((0..<random.next() % 400).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      default:
        // A header that is right, and anything after it.
        for index in 9..<bytes.count where random.next() % 8 == 0 {
          bytes[index] = UInt8(truncatingIfNeeded: random.next())
        }
        bytes[9] = 0
        bytes.replaceSubrange(96..<112, with: Sum.sha256(bytes.prefix(96)).prefix(16))
        guard bytes != whole else { continue }
      }
      #expect(try await answer(bytes) != nil, "seed \(Share.seed), round \(round)")
    }
  }
}
