import Foundation
import LarderHTTP
import LarderTesting
import Synchronization

/// The line to the bank: a relay that can be cut, and mended at the same address. Safe to use from any thread.
final class Line: Sendable {
  /// Tells when it is cut and mended.
  let connectivity = ManualConnectivityMonitor(.up)
  /// Where it begins.
  let url: URL
  private let bank: UInt16
  private let port: UInt16
  private let relay: Mutex<FaultProxy?>

  /// - Parameter bank: The port to which it leads.
  init(to bank: UInt16) throws {
    self.bank = bank
    let first = try FaultProxy(to: bank) { _ in nil }
    url = first.url("", scheme: "https")
    port = first.port
    relay = Mutex(first)
  }

  var isCut: Bool { relay.withLock { $0 == nil } }

  /// Ends every connection, within whatever it carries, and lets nobody connect.
  func cut() {
    relay.withLock { relay in
      relay?.stop()
      relay = nil
    }
    connectivity.set(.down)
  }

  func mend() throws {
    try relay.withLock { relay in
      if relay == nil { relay = try FaultProxy(to: bank, port: port) { _ in nil } }
    }
    connectivity.set(.up)
  }
}
