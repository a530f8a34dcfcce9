/// A small generator whose numbers depend on the seed alone.
package struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// What follows from the seed and these numbers.
  package init(seed: UInt64, _ first: Int = 0, _ second: Int = 0, _ third: Int = 0) {
    state = seed
    state = next() ^ UInt64(truncatingIfNeeded: first)
    state = next() ^ UInt64(truncatingIfNeeded: second)
    state = next() ^ UInt64(truncatingIfNeeded: third)
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
