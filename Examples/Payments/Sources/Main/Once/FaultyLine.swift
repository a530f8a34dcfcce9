import LarderTesting
import Synchronization

/// What happens to the connections of a line, until it is mended. Safe to use from any thread.
final class FaultyLine: Sendable {
  private let faults: @Sendable (Int) -> FaultProxy.Fault?
  private let isWell = Mutex(false)

  /// - Parameters:
  ///   - port: Where it leads.
  ///   - seed: Decides what happens.
  init(to port: UInt16, seed: UInt64) {
    // Some within the handshake, most within what is asked and answered.
    faults = FaultProxy.faults(seed: seed, share: 0.35, within: 0..<5_000)
  }

  func fault(of connection: Int) -> FaultProxy.Fault? {
    isWell.withLock { $0 } ? nil : faults(connection)
  }

  /// Nothing happens from now on to connections that are made.
  func heal() { isWell.withLock { $0 = true } }
}
