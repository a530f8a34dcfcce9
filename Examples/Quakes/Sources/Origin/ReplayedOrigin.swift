import ExampleSupport
import Foundation
import LarderHTTP
import LarderTesting
import Synchronization

/// A server on loopback that plays the feed's part, with a clock that runs through the recorded week.
final class ReplayedOrigin: Sendable {
  /// The feed's path, as at its real address.
  static let path = "/earthquakes/feed/v1.0/summary/all_week.geojson"

  private struct State {
    var now: Int64
    /// The feed at `now`: what is asked for again is not put together again.
    var feed: Data?
  }

  private let week: ReplayedWeek
  private let state: Mutex<State>
  private let server = RestartableServer(ReplayedOrigin.path)

  /// - Parameters:
  ///   - week: What to replay.
  ///   - now: The instant that the origin's clock shows at first.
  init(week: ReplayedWeek, now: Int64) {
    self.week = week
    state = Mutex(State(now: min(max(now, week.beginning), week.end)))
  }

  /// The feed's address, once the origin has been started.
  var url: URL? { server.url }

  var isRunning: Bool { server.isRunning }

  /// The instant that the origin's clock shows.
  var now: Int64 { state.withLock { $0.now } }

  /// Whether the whole week has been shown.
  var isAtEnd: Bool { now >= week.end }

  /// Starts to serve; again after a stop, at the same address.
  func start() throws {
    try server.start { [weak self] request in
      guard let self else { return .text("The replay is over.", status: 503) }
      return self.answer(to: request)
    }
  }

  /// Stops to serve: whoever asks is refused.
  func stop() {
    server.stop()
  }

  /// Moves the clock, at most to the end of the week.
  func advance(to instant: Int64) {
    state.withLock { state in
      let next = min(max(instant, state.now), week.end)
      if next != state.now { state.feed = nil }
      state.now = next
    }
  }

  private func answer(to request: LoopbackServer.Request) -> LoopbackServer.Response {
    state.withLock { state in
      // Each byte of the feed follows from the instant, so that is the tag.
      guard let tag = EntityTag("\"\(state.now)\"") else { return .text("The clock cannot be read.", status: 500) }
      return .bytes(feed(&state), type: "application/json; charset=utf-8", tag: tag, to: request)
    }
  }

  private func feed(_ state: inout State) -> Data {
    let feed = state.feed ?? week.feed(at: state.now)
    state.feed = feed
    return feed
  }
}
