import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A handler for Ctrl-C and other signals that ask the command to end: it notifies running work, which then ends.
final class InterruptHandler {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private let sources: [any DispatchSourceSignal]

  /// Installs the handler.
  ///
  /// - Parameter tell: A closure that is called on any thread.
  init(_ tell: @escaping @Sendable () -> Void) {
    sources = Self.signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { tell() }
      source.activate()
      return source
    }
  }

  /// Restores the default handling of the signals.
  func remove() {
    for source in sources { source.cancel() }
    for number in Self.signals { signal(number, SIG_DFL) }
  }

  /// Waits for such a signal.
  static func waitForInterrupt() {
    let over = DispatchSemaphore(value: 0)
    let interruption = InterruptHandler { over.signal() }
    over.wait()
    interruption.remove()
  }
}
