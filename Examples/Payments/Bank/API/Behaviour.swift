import ExampleSupport
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
    var random = SeededChance(seed: 0)
  }

  private let state = Mutex(State())

  /// Takes orders; false, and nothing is another than before, if a fault is not known.
  func obey(_ orders: Orders) -> Bool {
    let faults = orders.faults.compactMap(ServerFault.named)
    guard faults.count == orders.faults.count, (0...1).contains(orders.share) else { return false }
    state.withLock { $0 = State(faults: faults, share: orders.share, random: SeededChance(seed: orders.seed)) }
    return true
  }

  /// What happens to a request. Those who direct the bank are always heard.
  func fault(for request: ScriptedServer.RecordedRequest) -> ServerFault? {
    if request.target.hasPrefix(Direction.path) { return nil }
    return state.withLock { state in
      guard !state.faults.isEmpty, Double.random(in: 0..<1, using: &state.random) < state.share else { return nil }
      return state.faults.randomElement(using: &state.random)
    }
  }
}
