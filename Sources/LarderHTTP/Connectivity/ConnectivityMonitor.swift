/// Whether there seems to be a network.
public enum ConnectivityState: Sendable, Hashable {
  case unknown, down, up
}

/// Tells when the network comes and goes.
///
/// What it says is a hint: it shortens the waits between attempts, and never keeps a request from being made. A monitor
/// that says "down" where the network works costs nothing.
///
/// ```swift
/// configuration.connectivity = NetworkInterfaceMonitor()
/// ```
public protocol ConnectivityMonitor: Sendable {
  /// The states from now on, the present one first.
  func states() -> AsyncStream<ConnectivityState>
}

/// A monitor that is told by the program: by a switch of the user's, another monitor, or a test.
public final class ManualConnectivityMonitor: ConnectivityMonitor {
  private let broadcaster: ConnectivityBroadcaster

  public init(_ state: ConnectivityState = .unknown) { broadcaster = ConnectivityBroadcaster(state) }

  /// The present state.
  public var state: ConnectivityState { broadcaster.state }

  /// Tells of a state; also one that is as before, which tells that something has changed.
  public func set(_ state: ConnectivityState) { broadcaster.update(state) }

  public func states() -> AsyncStream<ConnectivityState> { broadcaster.states() }
}
