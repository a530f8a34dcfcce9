public import Foundation

/// The clock, the date and the random numbers of a client.
///
/// ```swift
/// configuration.dependencies = HTTPDependencies(clock: virtualClock, now: { start }, random: { 0.5 })
/// ```
///
/// Waits between attempts use this clock. A transport's own deadlines concern the network, and use real time.
public struct HTTPDependencies: Sendable {
  /// The clock of waits.
  public var clock: any Clock<Duration>
  /// Returns the date, for `Retry-After` and the age of validators.
  public var now: @Sendable () -> Date
  /// Returns a number from 0 up to 1, 1 excluded.
  public var random: @Sendable () -> Double

  /// Creates dependencies, by default the system's.
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
  /// Returns a stopwatch that starts now.
  func makeStopwatch() -> Stopwatch { Stopwatch(clock) }
}

/// The time since its creation.
///
/// Each request has several. With the clock of nearly all clients it is a number, without an allocation.
enum Stopwatch: Sendable {
  case continuous(since: ContinuousClock.Instant)
  case other(@Sendable () -> Duration)

  init(_ clock: any Clock<Duration>) {
    // A comparison of types is fast; a cast would search for a conformance.
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
  /// Returns a function that measures the time from now on.
  func makeStopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: now) }
  }

  /// Waits; throws if the task is cancelled.
  func wait(for duration: Duration) async throws {
    try await sleep(until: now.advanced(by: min(duration, .maximumWait)), tolerance: nil)
  }
}
