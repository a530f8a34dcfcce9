import DurabilityWork
import Foundation
import Testing

@testable import LarderSecrets

/// What is under the seal is read as it is written, and no other bytes are.
@Suite struct SecretEntriesTests {
  private func bytes(_ parts: [[UInt8]], count: Int) -> SecretBytes {
    func number(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    return SecretBytes(copying: number(count) + parts.flatMap { number($0.count) + $0 })
  }

  @Test func whatIsWrittenIsRead() {
    let secrets = [
      SecretName(service: "s", account: "a"): Secret("1"), SecretName(service: "s", account: "b"): Secret(""),
      SecretName(service: "ü", account: "a"): Secret("2"),
    ]
    #expect(SecretEntries.decoded(SecretEntries.encoded(secrets)) == secrets)
    #expect(SecretEntries.decoded(SecretEntries.encoded([:])) == [:])
  }

  /// Whoever has the key may have written others.
  @Test func whatIsNotWrittenSoIsNotRead() {
    let entry: [[UInt8]] = [Array("s".utf8), Array("a".utf8), Array("1".utf8)]
    #expect(SecretEntries.decoded(bytes(entry, count: 1))?.count == 1)
    // A name twice, something behind the last one, fewer or more than there are, a text that is none.
    #expect(SecretEntries.decoded(bytes(entry + entry, count: 2)) == nil)
    #expect(SecretEntries.decoded(bytes(entry + [[7]], count: 1)) == nil)
    #expect(SecretEntries.decoded(bytes(entry, count: 0)) == nil)
    #expect(SecretEntries.decoded(bytes(entry, count: 2)) == nil)
    #expect(SecretEntries.decoded(bytes([[0xFF], [0xFE], [1]], count: 1)) == nil)
    var random = SeededGenerator(seed: Share.seed)
    for _ in 0..<2_000 {
      let noise = (0..<Int.random(in: 0...64, using: &random)).map { _ in UInt8.random(in: 0...7, using: &random) }
      if let read = SecretEntries.decoded(SecretBytes(copying: noise)) {
        // Of what is read so, writing makes the same bytes, or the names stood in another order.
        #expect(SecretEntries.encoded(read).count == noise.count, "LARDER_SEED=\(Share.seed)")
      }
    }
  }

  /// The key that was made of a passphrase is kept for the same salt and cost alone.
  @Test func aKeyIsOfItsSaltAndCost() throws {
    let unlocking = try SecretFileCredential(passphrase: Secret("a phrase"), cost: .light)
    let salts = [[UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16)]
    let first = try unlocking.key(salt: salts[0], cost: nil)
    #expect(try unlocking.key(salt: salts[0], cost: .light) == first)
    let second = try unlocking.key(salt: salts[1], cost: nil)
    #expect(second != first)
    #expect(try unlocking.key(salt: salts[1], cost: .standard) != second)
    #expect(try unlocking.key(salt: salts[0], cost: nil) == first)
  }
}
