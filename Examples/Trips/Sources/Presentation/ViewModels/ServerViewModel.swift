import Foundation
import Observation

/// What the page shows of the trips' server.
@Observable
final class ServerViewModel {
  private let server: TripsServerProtocol

  private(set) var offers: [Trip] = []
  private(set) var behaviour = ServerBehaviour.well
  /// Whether it is being asked for its trips.
  var isAsked = false

  init(server: TripsServerProtocol) {
    self.server = server
    load()
  }

  /// Looks what it is set up to do.
  func load() {
    offers = server.offers
    behaviour = server.behaviour
  }

  /// Has it offer a trip.
  ///
  /// - Throws: What is wrong with the trip.
  func offer(_ trip: Trip) throws(TripProblem) {
    try trip.check()
    server.offer(trip)
    load()
  }
}
