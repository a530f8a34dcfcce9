/// The state of the network, as far as it is known.
public enum ConnectivityState: Sendable, Hashable {
  case unknown, down, up
}

/// A monitor that reports when the network comes and goes.
///
/// Its states are hints: they shorten the waits between attempts, and never prevent a request. A monitor that reports "down"
/// on a working network does no harm.
///
/// ```swift
/// configuration.connectivity = NetworkInterfaceMonitor()
/// ```
public protocol ConnectivityMonitor: Sendable {
  /// Returns a stream of states, the current one first.
  func states() -> AsyncStream<ConnectivityState>
}

/// A monitor that the program sets: from a user's switch, another monitor, or a test.
///
/// ```swift
/// let monitor = ManualConnectivityMonitor(.down)
/// configuration.connectivity = monitor
/// monitor.set(.up)
/// ```
public final class ManualConnectivityMonitor: ConnectivityMonitor {
  private let broadcaster: ConnectivityBroadcaster

  /// Creates a monitor with an initial state.
  public init(_ state: ConnectivityState = .unknown) { broadcaster = ConnectivityBroadcaster(state) }

  /// The current state.
  public var state: ConnectivityState { broadcaster.state }

  /// Reports a state. The same state again reports that something has changed.
  public func set(_ state: ConnectivityState) { broadcaster.update(state) }

  public func states() -> AsyncStream<ConnectivityState> { broadcaster.states() }
}
