import DurabilityWork
import Foundation
import Testing

@testable import LarderSecrets

/// Files of secrets, and what is inside one, which whoever has the key can have written as they like.
@Suite(.serialized) struct SecretFuzzTests {
  /// The whole of each, which `LARDER_SIZE=100` runs.
  private static let whole = 1_000_000
  private static let few = 5_000

  /// - Parameter read: Whether the bytes were taken for what they may be.
  private func fuzz(_ name: String, _ well: [[UInt8]], _ read: ([UInt8]) -> Bool) {
    let rounds = Share.rounds(of: Self.whole, atLeast: Self.few)
    let guarded = Rounds(name, rounds)
    defer { guarded.end() }
    var taken = 0
    for round in 0..<rounds {
      guarded.begin(round)
      var random = SeededGenerator(seed: Share.seed, round)
      if read(Mutation.of(well[Int.random(in: 0..<well.count, using: &random)], well, &random)) { taken += 1 }
    }
    print("seed \(Share.seed): \(taken) of \(rounds) were taken for \(name)")
    #expect(taken < rounds, "\(name), seed \(Share.seed)")
  }

  private let secrets = [
    SecretName(service: "api.example", account: "token"): Secret("secret"),
    SecretName(service: "käse", account: "b"): Secret(""),
  ]

  @Test func entries() {
    let well = [[:], secrets].map { SecretEntries.encoded($0).withBytes { Array($0) } }
    fuzz("entries", well) { bytes in
      guard let read = SecretEntries.decoded(SecretBytes(copying: bytes)) else { return false }
      // What is taken is written as it was, but for the order.
      let again = SecretEntries.encoded(read)
      #expect(again.count == bytes.count && SecretEntries.decoded(again) == read, "seed \(Share.seed): \(bytes)")
      return true
    }
  }

  @Test func files() throws {
    let unlocking = SecretFileCredential(key: try SecretKey(bytes: 0..<32))
    let whole = try SecretFileCipher.seal(SecretEntries.encoded(secrets), with: unlocking, salt: nil)
    fuzz("files of secrets", [whole]) { bytes in
      guard (try? SecretFileCipher.open(bytes, with: unlocking, file: "file")) != nil else { return false }
      #expect(bytes == whole, "seed \(Share.seed): \(bytes)")
      return true
    }
  }

  @Test func base64() {
    fuzz("base64", ["AAECAw==", " AAEC\n", "//79", "AA"].map { Array($0.utf8) }) { bytes in
      guard let read = bytes.withUnsafeBytes({ Base64.decoded($0) }) else { return false }
      let text = Base64.encoded(read).withBytes { Data($0) }
      #expect(Data(base64Encoded: text) == read.withBytes { Data($0) }, "seed \(Share.seed): \(bytes)")
      return true
    }
  }
}
