/// Random numbers that follow from a seed alone (SplitMix64), so that a failure can be repeated.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64
  /// What the numbers follow from; a test's failure prints it.
  package let seed: UInt64

  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// Numbers that follow from the seed and these: a round's, a process's.
  package init(seed: UInt64, _ first: Int, _ second: Int = 0, _ third: Int = 0) {
    self.init(seed: seed)
    for number in [first, second, third] { state = next() ^ UInt64(truncatingIfNeeded: number) }
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Whether something happens that does in so many cases of a hundred.
  package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}
