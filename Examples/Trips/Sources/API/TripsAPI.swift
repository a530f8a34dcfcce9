import ExampleSupport
import Foundation
import LarderTesting
import Synchronization

/// The trips' server, on loopback within this program. What it offers can be changed, and how well it behaves.
final class TripsAPI: TripsServerProtocol {
  static let path = "/trips"

  private struct State {
    var trips: [TripDTO]
    var behaviour = ServerBehaviour.well
  }

  /// How long it takes to answer when it is late.
  private let delay: TimeInterval
  private let state: Mutex<State>
  private let server = RestartableServer(TripsAPI.path)

  /// - Parameters:
  ///   - trips: What it offers at first.
  ///   - delay: How long it takes to answer when it is late, in seconds.
  init(trips: [TripDTO], delay: TimeInterval = 3) {
    self.delay = delay
    state = Mutex(State(trips: trips))
  }

  /// Its address, once it has been started.
  var url: URL? { server.url }

  /// What it offers.
  var trips: [TripDTO] { state.withLock { $0.trips } }

  /// Changes what it offers.
  func change(_ body: (inout [TripDTO]) -> Void) {
    state.withLock { body(&$0.trips) }
  }

  var behaviour: ServerBehaviour { state.withLock { $0.behaviour } }

  /// Starts to serve; again after a stop, at the same address.
  func start() throws {
    try server.start { [weak self] _ in
      try self?.answer() ?? .text("The server is about to end.", status: 503)
    }
  }

  /// Stops to serve: whoever asks is refused.
  func stop() {
    server.stop()
  }

  func behave(_ behaviour: ServerBehaviour) throws {
    state.withLock { $0.behaviour = behaviour }
    if behaviour == .gone { stop() } else { try start() }
  }

  private func answer() throws -> LoopbackServer.Response {
    let (trips, behaviour) = state.withLock { ($0.trips, $0.behaviour) }
    let json = try JSONEncoder().encode(trips)
    switch behaviour {
    case .well, .gone: return .bytes(json, type: "application/json")
    case .late:
      Thread.sleep(forTimeInterval: delay)
      return .bytes(json, type: "application/json")
    case .error: return .json(#"{"error": "out of order"}"#, status: 500)
    case .silent: return .hang
    case .html:
      return .text("<!DOCTYPE html><title>Welcome</title><p>Please sign in.", type: "text/html; charset=utf-8")
    case .truncated: return .bytes(json.prefix(json.count / 2), type: "application/json")
    case .nonsense: return .json(#"[{"id": "1", "name": 7, "startDate": "soon", "endDate": null}]"#)
    }
  }
}
