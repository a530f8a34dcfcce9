#if os(Linux)
  internal import CLarderHTTP
  internal import Foundation

  /// Tells when links, addresses and routes of this machine change, as the kernel does (rtnetlink).
  ///
  /// "Up" is an interface, other than the loopback's, that runs and has an address. What lies beyond it nobody knows, so
  /// this too is a hint. A flood of changes becomes one at a time, ``settlingTime`` apart. It has a thread of its own,
  /// which sleeps while nothing changes, and ends with the monitor.
  public final class LinkMonitor: ConnectivityMonitor {
    /// 200 ms: an interface that comes up gets its addresses and routes one after the other.
    public static let settlingTime = Duration.milliseconds(200)

    private let hub = LinkHub(LinkMonitor.present())
    private let stop: Int32

    /// Makes a monitor. Where the kernel does not tell (in some containers), it stays at its first state.
    public init() {
      let signal = clh_signal_open()
      let links = clh_links_open()
      guard signal >= 0, links >= 0 else {
        if signal >= 0 { clh_close(signal) }
        if links >= 0 { clh_close(links) }
        stop = -1
        return
      }
      stop = signal
      let thread = Thread { [stop, weak hub] in
        // From within: Foundation tells the system of no other thread's name.
        Thread.current.name = "larder-links"
        while clh_links_wait(links, stop) != 0 {
          Thread.sleep(forTimeInterval: Self.settlingTime.seconds)
          hub?.tell(Self.present())
        }
        clh_close(links)
        clh_close(stop)
      }
      thread.start()
    }

    deinit {
      // The thread closes both.
      if stop >= 0 { clh_signal_raise(stop) }
    }

    /// The present state.
    public var state: LinkState { hub.state }

    public func states() -> AsyncStream<LinkState> { hub.states() }

    private static func present() -> LinkState {
      switch clh_links_are_up() {
      case 1: .up
      case 0: .down
      default: .unknown
      }
    }
  }
#endif
