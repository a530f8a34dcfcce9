import ExampleSupport
import Foundation

/// `ONCE=1`: sync, sync again, an edit that a second process sees, every way to fail, and a line of JSON.
struct RoundTrip {
  /// A step that should have gone well and did not.
  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  /// How long the server may take to answer, in seconds: the shortest that URLSession knows here.
  static let patience = 1
  /// How long it takes when it is late.
  static let delay = 2.5
  /// Each way to fail, by the name that the line has for it. What is late fails too where nobody waits for it.
  static let failures = ServerBehaviour.allCases.filter { $0 != .well }

  let store: URL
  /// The program that the second process runs.
  let program: URL

  @MainActor func run() async throws -> RoundTripOutcome {
    Terminal.say("Store: \(store.path)")
    let api = TripsAPI(trips: try BundledTrips.read(), delay: Self.delay)
    try api.start()
    defer { api.stop() }
    guard let tripsURL = api.url else { throw Failed(description: "The server has no address.") }
    Terminal.say("API: \(tripsURL)")
    let dependencies = try Dependencies(
      store: .disk(store), httpClient: Dependencies.httpClient(patience: Self.patience), tripsURL: tripsURL)
    let list = dependencies.makeTripList()

    try await sync(list)
    let synced = list.trips.count
    Terminal.say("Synced: \(synced) trips, \(dependencies.changes.written) rows written")

    let before = dependencies.changes.written
    try await sync(list)
    let again = dependencies.changes.written - before
    Terminal.say("The same again: \(again) rows written")

    let (edited, seen) = try await editWhileRead(list, dependencies)
    Terminal.say("Edited: “\(edited)”; a second process saw “\(seen)”")

    let failures = try await fail(list, api)
    return RoundTripOutcome(
      synced: synced, again: again, edited: edited, failures: failures, readerSaw: seen, store: store.path)
  }

  @MainActor private func sync(_ list: TripListViewModel) async throws {
    await list.sync()
    if let error = list.syncError { throw Failed(description: "The sync failed: \(error)") }
  }

  /// Edits a trip while a second process reads the store.
  ///
  /// - Returns: The trip's name as this process has it afterwards, and as the other one saw it.
  @MainActor private func editWhileRead(
    _ list: TripListViewModel, _ dependencies: Dependencies
  ) async throws -> (String, String) {
    let reader = try ReaderProcess(program: program, store: store)
    guard case .trips(list.trips.count) = try reader.next() else {
      throw Failed(description: "The second process does not see the trips that were synced.")
    }
    guard var trip = list.trips.first(where: { $0.legs.count > 1 }) else {
      throw Failed(description: "There is no trip to edit.")
    }
    trip.name += ", the other way round"
    trip.legs = trip.legs.reversed().map {
      Leg(id: $0.id, origin: $0.destination, destination: $0.origin, means: $0.means)
    }
    // A store that has seen this before already has her.
    if trip.people.contains("Katherine") {
      trip.people.removeAll { $0 == "Katherine" }
    } else {
      trip.people.append("Katherine")
    }
    trip.tags = Array(trip.tags.dropFirst())
    try await dependencies.tripRepository.update(trip)
    await list.loadTrips()
    guard list.trips.contains(trip) else { throw Failed(description: "The edit is not what is kept.") }
    guard case .changed(trip.id, let name) = try reader.next() else {
      throw Failed(description: "The second process saw another trip change.")
    }
    return (trip.name, name)
  }

  /// Has the server fail in each way.
  ///
  /// - Returns: What the user reads each time.
  @MainActor private func fail(_ list: TripListViewModel, _ api: TripsAPI) async throws -> [(String, String)] {
    let shown = list.trips
    var failures: [(String, String)] = []
    for behaviour in Self.failures {
      try api.behave(behaviour)
      list.syncError = nil
      await list.sync()
      guard let words = list.syncError else { throw Failed(description: "\(behaviour) did not fail.") }
      guard list.trips == shown else { throw Failed(description: "\(behaviour) changed the list.") }
      Terminal.say("\(behaviour): \(words)")
      failures.append((behaviour.rawValue, words))
    }
    try api.behave(.well)
    list.syncError = nil
    try await sync(list)
    return failures
  }
}
