import LarderTesting
import SwiftData
import Testing

@testable import trips

/// The sync service with a mock HTTP client, on containers in memory.
@Suite struct TripSyncServiceTests {
  private func sync(_ client: HTTPStub, into container: ModelContainer) async throws {
    let service = TripSyncService(modelContainer: container, httpClient: client.session, tripsURL: Made.tripsURL)
    try await service.syncTrips()
  }

  private func trips(of container: ModelContainer) async throws -> [Trip] {
    try await SwiftDataTripRepository(modelContainer: container).fetchAll()
  }

  @Test func newTripsAreInsertedWithAllThatBelongsToThem() async throws {
    let container = try Made.container()
    let client = Made.client([Made.oslo(), Made.lisbon()])
    try await sync(client, into: container)

    let trips = try await trips(of: container)
    #expect(trips.map(\.name) == ["Lisbon", "Oslo"])
    #expect(trips[0].route == ["Berlin–Paris train", "Paris–Irun train", "Irun–Lisbon bus"])
    #expect(trips[0].people == ["Ada", "Grace"] && trips[1].people == ["Ada"])
    #expect(trips[0].tags == ["south", "city"] && trips[1].tags == ["north", "city"])
    #expect(client.requests.map(\.url) == [Made.tripsURL])

    // Those whom trips share are one.
    let context = ModelContext(container)
    let ada = try #require(
      try context.fetch(FetchDescriptor<PersonEntity>(predicate: #Predicate { $0.name == "Ada" })).first)
    #expect(Set(ada.trips.map(\.remoteId)) == ["lisbon", "oslo"])
    #expect(try context.fetchCount(FetchDescriptor<PersonEntity>()) == 2)
    #expect(try context.fetchCount(FetchDescriptor<TagEntity>()) == 3)
    #expect(try context.fetchCount(FetchDescriptor<LegEntity>()) == 4)
  }

  @Test func knownTripsAreUpdatedAndOthersStay() async throws {
    let container = try Made.container()
    let client = Made.client([Made.lisbon(), Made.oslo()])
    try await sync(client, into: container)
    client.setHandler { _ in
      .json(Made.json([Made.lisbon(name: "Lisbon at last", startDate: Made.day(2), endDate: Made.day(30))]))
    }
    try await sync(client, into: container)

    let trips = try await trips(of: container)
    #expect(trips.map(\.name) == ["Lisbon at last", "Oslo"])
    #expect(trips[0].startDate == Made.day(2) && trips[0].endDate == Made.day(30))
    #expect(trips[0].legs.count == 3)
  }

  @Test func secondSyncWritesNothing() async throws {
    let container = try Made.container()
    let client = Made.client([Made.lisbon(), Made.oslo()])
    let changes = StoreChanges(of: container)
    try await sync(client, into: container)
    // Two trips, four legs, two people, three tags.
    #expect(changes.written == 11)
    try await sync(client, into: container)
    #expect(changes.written == 11)
  }

  @Test func legsPeopleAndTagsAreTheStoresOwn() async throws {
    let container = try Made.container()
    let client = Made.client([Made.lisbon()])
    try await sync(client, into: container)
    let repository = SwiftDataTripRepository(modelContainer: container)
    var trip = try #require(try await repository.fetchAll().first)
    trip.legs.reverse()
    trip.people = ["Edsger"]
    try await repository.update(trip)

    try await sync(client, into: container)
    let now = try #require(try await repository.fetchAll().first)
    #expect(now.legs == trip.legs && now.people == ["Edsger"])
  }

  @Test func identifierTwiceInOneAnswerIsOneTrip() async throws {
    let container = try Made.container()
    try await sync(Made.client([Made.oslo(), Made.lisbon(), Made.oslo(name: "Oslo again")]), into: container)
    #expect(try await trips(of: container).map(\.name) == ["Lisbon", "Oslo again"])
  }

  @Test func tripWithoutLegsIsATrip() async throws {
    let container = try Made.container()
    let client = HTTPStub { _ in .json(#"[{"id": "1", "name": "Rome", "startDate": 0, "endDate": 86400}]"#) }
    try await sync(client, into: container)
    #expect(
      try await trips(of: container) == [Trip(id: "1", name: "Rome", startDate: Made.day(0), endDate: Made.day(1))])
  }

  private static let failures: [(HTTPStub.Handler, TripSyncError)] = [
    ({ _ in .text("out of order", status: 500) }, .status(500)),
    ({ _ in .json(Made.json([Made.oslo()]), status: 503) }, .status(503)),
    ({ _ in .text("no", status: 404) }, .status(404)),
    ({ _ in .text("<!DOCTYPE html><p>Sign in", type: "text/html") }, .notTrips(type: "a web page")),
    ({ _ in .bytes(Data(), type: "application/json") }, .notTrips(type: "nothing")),
    ({ _ in .json("{}") }, .notTrips(type: "something else")),
    ({ _ in .json(String(Made.json([Made.oslo(name: "New")]).dropLast(9))) }, .brokeOff),
    ({ _ in .interrupted(Data("[{".utf8), type: "application/json") }, .brokeOff),
    (
      { _ in .json(#"[{"id": "1", "name": "Rome", "startDate": 0, "endDate": 1}, {"id": "2", "name": 7}]"#) },
      .badTrip("number 2, name")
    ),
    ({ _ in .json(#"[{"id": "1"}]"#) }, .badTrip("number 1, name")),
    ({ _ in throw URLError(.timedOut) }, .timedOut(seconds: 7)),
    ({ _ in throw URLError(.cannotConnectToHost) }, .unreachable),
  ]

  @Test(arguments: failures.indices) func failureLeavesTheStoreAsItWas(index: Int) async throws {
    let (failure, expected) = Self.failures[index]
    let container = try Made.container()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 7
    let client = HTTPStub(configuration: configuration) { _ in .json(Made.json([Made.lisbon()])) }
    try await sync(client, into: container)
    let before = try await trips(of: container)
    let changes = StoreChanges(of: container)

    client.setHandler(failure)
    await #expect(throws: expected) { try await sync(client, into: container) }
    #expect(try await trips(of: container) == before)
    #expect(changes.written == 0)

    // It is no end: the next sync goes on.
    client.setHandler { _ in .json(Made.json([Made.oslo()])) }
    try await sync(client, into: container)
    #expect(try await trips(of: container).count == 2)
  }

  @Test func wordsAreForPeople() {
    #expect(
      TripSyncError.badTrip("number 2, name").localizedDescription
        == "The server sent a trip that cannot be read: number 2, name is missing or of the wrong kind. "
        + "The trips are shown as they were.")
    #expect(
      TripSyncError.timedOut(seconds: 1).localizedDescription
        == "The server did not answer within 1 second. The trips are shown as they were.")
  }

  @Test func importThatCannotBeSavedLeavesNothingBehind() async throws {
    let container = try Made.container()
    let service = TripSyncService(modelContainer: container, tripsURL: Made.tripsURL)
    // A number that the store has no form for.
    let bad = TripDTO(id: "bad", name: "Bad", startDate: Date(timeIntervalSinceReferenceDate: .nan))
    await #expect(throws: (any Error).self) { try await service.importTrips(from: [Made.oslo(), bad]) }
    #expect(try await trips(of: container).isEmpty)
    try await service.importTrips(from: [Made.oslo()])
    #expect(try await trips(of: container).map(\.name) == ["Oslo"])
  }

  /// Fifty syncs, each with a client and a container of its own, at a time.
  @Test func fiftyAtATime() async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<50 {
        tasks.addTask {
          let container = try Made.container()
          let client = Made.client([Made.lisbon(name: "Trip \(number)"), Made.oslo()])
          try await sync(client, into: container)
          try await sync(client, into: container)
          #expect(try await trips(of: container).map(\.name) == ["Trip \(number)", "Oslo"])
          #expect(client.requests.count == 2)
        }
      }
      try await tasks.waitForAll()
    }
  }
}
