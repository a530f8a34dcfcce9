/// The trips' server as one can set it up: what it offers, and how well it behaves.
protocol TripsServerProtocol: Sendable {
  /// What it offers. Of a trip that it offers anew, legs, people and tags count only where nobody has it yet.
  var offers: [Trip] { get }

  var behaviour: ServerBehaviour { get }

  /// Offers a trip, in place of the one that it had under this name.
  func offer(_ trip: Trip)

  /// Behaves in another way from now on.
  func behave(_ behaviour: ServerBehaviour) throws
}
