#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The seeds of a run: new ones each time, printed with what fails.
///
/// `SEED` chooses the first one again, `ROUNDS` multiplies how many there are, for a long run.
enum Seeds {
  static let first = number("SEED") ?? UInt64.random(in: 1...999_999_999)

  static func some(_ count: Int) -> [UInt64] {
    let count = UInt64(count) * max(1, number("ROUNDS") ?? 1)
    return (0..<count).map { first &+ $0 }
  }

  private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
}

/// A small generator whose numbers depend on the seed alone.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
