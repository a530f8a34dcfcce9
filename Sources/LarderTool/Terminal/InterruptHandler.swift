import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tells work that somebody has ended the command by Ctrl-C, or otherwise asked it to end: that is to come to its end then.
final class InterruptHandler {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private let sources: [any DispatchSourceSignal]

  /// - Parameter tell: Called by any thread.
  init(_ tell: @escaping @Sendable () -> Void) {
    sources = Self.signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { tell() }
      source.activate()
      return source
    }
  }

  /// Later it is as ever.
  func remove() {
    for source in sources { source.cancel() }
    for number in Self.signals { signal(number, SIG_DFL) }
  }

  /// Waits for that.
  static func waitForInterrupt() {
    let over = DispatchSemaphore(value: 0)
    let interruption = InterruptHandler { over.signal() }
    over.wait()
    interruption.remove()
  }
}
