import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// That somebody has ended the command by Ctrl-C, or otherwise asked it to end.
enum Interruption {
  /// Waits for that. Later it is as ever.
  static func wait() {
    let over = DispatchSemaphore(value: 0)
    let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { over.signal() }
      source.activate()
      return source
    }
    over.wait()
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
  }
}
