#if os(Linux)
  internal import CLarderHTTP
  internal import Foundation

  /// A monitor of this machine's links, addresses and routes, by the kernel's notifications (rtnetlink).
  ///
  /// "Up" means an interface, other than the loopback's, that runs and has an address. The network beyond it is unknown, so
  /// this too is a hint. A flood of changes is reduced to one for each ``debounceInterval``. The monitor has a thread of its
  /// own, which sleeps while nothing changes, and ends with the monitor.
  public final class NetworkInterfaceMonitor: ConnectivityMonitor {
    /// 200 ms: an interface that comes up gets its addresses and routes one after the other.
    public static let debounceInterval = Duration.milliseconds(200)

    private let broadcaster = ConnectivityBroadcaster(NetworkInterfaceMonitor.currentState())
    private let stopSignal: Int32

    /// Creates a monitor. Where the kernel sends no notifications (in some containers), it stays in its first state.
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
        // From within the thread: Foundation passes no other thread's name to the system.
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

    /// The current state.
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
