import Foundation

/// SHA-256 once more, so that a test can write a header's sum as an attacker would; by FIPS 180-4.
enum Sum {
  /// The first 64.
  private static let primes = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }
  /// The first 32 bits of the fractional parts of the primes' cube roots, and of the first eight primes' square roots.
  private static let constants = primes.map { fraction(cbrt(Double($0))) }
  private static let start = primes.prefix(8).map { fraction(Double($0).squareRoot()) }

  private static func fraction(_ value: Double) -> UInt32 { UInt32((value - value.rounded(.down)) * 4_294_967_296) }

  static func sha256(_ data: Data) -> Data {
    var message = Array(data) + [0x80]
    while message.count % 64 != 56 { message.append(0) }
    message += (0..<8).map { UInt8(truncatingIfNeeded: (data.count * 8) >> (56 - 8 * $0)) }
    var state = Array(start)
    for block in stride(from: 0, to: message.count, by: 64) {
      var words = (0..<16).map { word in
        (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(message[block + word * 4 + $1]) }
      }
      for index in 16..<64 {
        let (near, far) = (words[index - 2], words[index - 15])
        let first = rotated(far, 7) ^ rotated(far, 18) ^ far >> 3
        let second = rotated(near, 17) ^ rotated(near, 19) ^ near >> 10
        words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
      }
      state = zip(state, rounds(state, words)).map { $0 &+ $1 }
    }
    return Data(state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } })
  }

  private static func rotated(_ value: UInt32, _ count: UInt32) -> UInt32 { value >> count | value << (32 - count) }

  private static func rounds(_ state: [UInt32], _ words: [UInt32]) -> [UInt32] {
    var s = state
    for index in 0..<64 {
      let first = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)
      let choice = s[4] & s[5] ^ ~s[4] & s[6]
      let one = s[7] &+ first &+ choice &+ constants[index] &+ words[index]
      let second = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)
      let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]
      s = [one &+ second &+ majority, s[0], s[1], s[2], s[3] &+ one, s[4], s[5], s[6]]
    }
    return s
  }
}
