#if os(Linux)
  internal import CLarderHTTP
  internal import Foundation

  /// Tells when links, addresses and routes of this machine change, as the kernel does (rtnetlink).
  ///
  /// "Up" is an interface, other than the loopback's, that runs and has an address. What lies beyond it nobody knows, so
  /// this too is a hint. A flood of changes becomes one at a time, ``debounceInterval`` apart. It has a thread of its own,
  /// which sleeps while nothing changes, and ends with the monitor.
  public final class NetworkInterfaceMonitor: ConnectivityMonitor {
    /// 200 ms: an interface that comes up gets its addresses and routes one after the other.
    public static let debounceInterval = Duration.milliseconds(200)

    private let broadcaster = ConnectivityBroadcaster(NetworkInterfaceMonitor.currentState())
    private let stopSignal: Int32

    /// Makes a monitor. Where the kernel does not tell (in some containers), it stays at its first state.
    public init() {
      let signal = clh_signal_open()
      let links = clh_links_open()
      guard signal >= 0, links >= 0 else {
        if signal >= 0 { clh_close(signal) }
        if links >= 0 { clh_close(links) }
        stopSignal = -1
        return
      }
      stopSignal = signal
      let thread = Thread { [stopSignal, weak broadcaster] in
        // From within: Foundation tells the system of no other thread's name.
        Thread.current.name = "larder-links"
        while clh_links_wait(links, stopSignal) != 0 {
          Thread.sleep(forTimeInterval: Self.debounceInterval.seconds)
          broadcaster?.update(Self.currentState())
        }
        clh_close(links)
        clh_close(stopSignal)
      }
      thread.start()
    }

    deinit {
      // The thread closes both.
      if stopSignal >= 0 { clh_signal_raise(stopSignal) }
    }

    /// The present state.
    public var state: ConnectivityState { broadcaster.state }

    public func states() -> AsyncStream<ConnectivityState> { broadcaster.states() }

    private static func currentState() -> ConnectivityState {
      switch clh_links_are_up() {
      case 1: .up
      case 0: .down
      default: .unknown
      }
    }
  }
#endif
