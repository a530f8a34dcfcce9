import Foundation
import LarderTesting
import Synchronization

/// How the bank's line fails, as it was last told. Safe to use from any thread.
final class Behaviour: Sendable {
  /// What it can be told.
  struct Orders: Codable, Sendable, Hashable {
    /// The faults among which chance chooses, by the names of ``ServerFault``.
    var faults: [String] = []
    /// How many of the requests meet one, from 0 to 1.
    var share = 0.0
    /// Decides which.
    var seed: UInt64 = 0

    static let well = Orders()
  }

  private struct State {
    var faults: [ServerFault] = []
    var share = 0.0
    var random = Chance(seed: 0)
  }

  private let state = Mutex(State())

  /// Takes orders; false, and nothing is another than before, if a fault is not known.
  func obey(_ orders: Orders) -> Bool {
    let faults = orders.faults.compactMap(ServerFault.named)
    guard faults.count == orders.faults.count, (0...1).contains(orders.share) else { return false }
    state.withLock { $0 = State(faults: faults, share: orders.share, random: Chance(seed: orders.seed)) }
    return true
  }

  /// What happens to a request. Those who direct the bank are always heard.
  func fault(for request: ScriptedServer.Recorded) -> ServerFault? {
    if request.target.hasPrefix(Direction.path) { return nil }
    return state.withLock { state in
      guard !state.faults.isEmpty, Double.random(in: 0..<1, using: &state.random) < state.share else { return nil }
      return state.faults.randomElement(using: &state.random)
    }
  }
}

/// SplitMix64: chance that follows from a seed.
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
