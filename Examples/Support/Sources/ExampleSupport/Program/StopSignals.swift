internal import Dispatch
internal import Foundation

/// Waits for the person, or the system, to ask for an end.
public enum StopSignals {
  /// Returns at the first SIGINT or SIGTERM.
  public static func wait() async {
    let stream = AsyncStream<Void>.makeStream()
    let sources = [SIGINT, SIGTERM].map { number in
      // Else the system's own answer, to end at once, would come first.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { stream.continuation.yield() }
      source.resume()
      return source
    }
    for await _ in stream.stream { break }
    for source in sources { source.cancel() }
  }
}
