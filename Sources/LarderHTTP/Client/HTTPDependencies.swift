public import Foundation

/// Time and chance, as a client sees them.
///
/// ```swift
/// configuration.environment = HTTPDependencies(clock: virtualClock, now: { start }, random: { 0.5 })
/// ```
///
/// Waits between attempts are by this clock. A transport's own deadlines are of the network, and real.
public struct HTTPDependencies: Sendable {
  /// Measures waits.
  public var clock: any Clock<Duration>
  /// Tells the date, for `Retry-After` and the age of validators.
  public var now: @Sendable () -> Date
  /// A number from 0 up to 1, 1 excluded.
  public var random: @Sendable () -> Double

  public init(
    clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() },
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    self.clock = clock
    self.now = now
    self.random = random
  }
}

extension HTTPDependencies {
  /// Measures from now on.
  func makeStopwatch() -> Stopwatch { Stopwatch(clock) }
}

/// How long ago something began.
///
/// Each request has some. By the clock that nearly all clients have, it is a number, and nothing is allocated for it.
enum Stopwatch: Sendable {
  case continuous(since: ContinuousClock.Instant)
  case other(@Sendable () -> Duration)

  init(_ clock: any Clock<Duration>) {
    // By its type, which is known at once; a cast would look for it.
    self = type(of: clock) == ContinuousClock.self ? .continuous(since: .now) : .other(clock.makeStopwatch())
  }

  func callAsFunction() -> Duration {
    switch self {
    case .continuous(let start): start.duration(to: .now)
    case .other(let elapsed): elapsed()
    }
  }
}

extension Clock where Duration == Swift.Duration {
  /// Measures from now on.
  func makeStopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: now) }
  }

  /// Waits; throws where the task is cancelled.
  func wait(for duration: Duration) async throws {
    try await sleep(until: now.advanced(by: min(duration, .maximumWait)), tolerance: nil)
  }
}
