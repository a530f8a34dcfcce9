import ExampleSupport
import SwiftData
import Testing

@testable import trips

/// The repository on containers in memory.
@Suite struct TripRepositoryTests {
  private func repository(_ trips: [TripDTO] = [Made.lisbon(), Made.oslo()]) async throws -> SwiftDataTripRepository {
    let container = try Made.container()
    try await TripSyncService(modelContainer: container, tripsURL: Made.tripsURL).importTrips(from: trips)
    return SwiftDataTripRepository(modelContainer: container)
  }

  private func lisbon(_ repository: SwiftDataTripRepository) async throws -> Trip {
    try #require(try await repository.fetchAll().first { $0.id == "lisbon" })
  }

  @Test func everythingOfATripCanBeEdited() async throws {
    let repository = try await repository()
    var trip = try await lisbon(repository)
    trip.name = "Lisbon by bicycle"
    trip.startDate = Made.day(40)
    trip.endDate = Made.day(41)
    trip.people = ["Grace", "Linus", "Ada"]
    trip.tags = ["slow"]
    // Reordered, one gone, one changed, one new.
    trip.legs = [
      trip.legs[2], trip.legs[0], Leg(origin: "Irun", destination: "Porto", means: .bicycle),
    ]
    trip.legs[1].means = .plane
    try await repository.update(trip)

    #expect(try await lisbon(repository) == trip)
    // Sorted by the first day, it comes last now.
    #expect(try await repository.fetchAll().map(\.id) == ["oslo", "lisbon"])
    let context = ModelContext(repository.modelContainer)
    #expect(try context.fetchCount(FetchDescriptor<LegEntity>()) == 4)
    #expect(try context.fetchCount(FetchDescriptor<PersonEntity>()) == 3)
  }

  @Test func legsAreWrittenOnlyWhereTheyChanged() async throws {
    let repository = try await repository()
    let trip = try await lisbon(repository)
    let changes = StoreChanges(of: repository.modelContainer)
    try await repository.update(trip)
    #expect(changes.written == 0)
    var renamed = trip
    renamed.legs[1].destination = "Hendaye"
    try await repository.update(renamed)
    #expect(changes.written == 1)
  }

  @Test func deletedTripTakesItsLegsAlongAndNobodyElse() async throws {
    let repository = try await repository()
    let context = ModelContext(repository.modelContainer)
    try context.delete(model: TripEntity.self, where: #Predicate { $0.remoteId == "lisbon" })
    try context.save()
    #expect(try context.fetch(FetchDescriptor<LegEntity>()).map(\.destination) == ["Oslo"])
    #expect(try context.fetchCount(FetchDescriptor<PersonEntity>()) == 2)
    #expect(try await repository.fetchAll().map(\.people) == [["Ada"]])
  }

  @Test func badTripIsNotKept() async throws {
    let repository = try await repository()
    let before = try await lisbon(repository)
    func expect(_ words: String, _ change: (inout Trip) -> Void) async throws {
      var trip = before
      change(&trip)
      let problem = await #expect(throws: TripProblem.self) { try await repository.update(trip) }
      #expect(problem?.description.contains(words) == true)
      #expect(try await lisbon(repository) == before)
    }
    try await expect("name is missing") { $0.name = "" }
    try await expect("longer than 120") { $0.name = String(repeating: "x", count: 121) }
    try await expect("last day lies before") { $0.endDate = Made.day(0) }
    try await expect("where leg 2 begins is missing") { $0.legs[1].origin = "" }
    try await expect("60 legs at most") { trip in
      trip.legs = (0...60).map { _ in Leg(origin: "a", destination: "b", means: .foot) }
    }
    try await expect("twice") { $0.people = ["Ada", "Ada"] }
    try await expect("30 tags") { $0.tags = (0...30).map { "\($0)" } }
  }

  @Test func tripThatIsGoneIsAProblemInWords() async throws {
    let repository = try await repository()
    let trip = Trip(id: "nowhere", name: "Nowhere", startDate: Made.day(1), endDate: Made.day(1))
    let problem = await #expect(throws: TripProblem.self) { try await repository.update(trip) }
    #expect(problem == .gone)
  }

  @Test func editOfWhatWasChangedElsewhereIsRefused() async throws {
    let repository = try await repository()
    let seen = try await lisbon(repository)
    var first = seen
    first.name = "First"
    try await repository.update(first, since: seen.version)
    var second = seen
    second.name = "Second"
    await #expect(throws: TripProblem.changedElsewhere) { try await repository.update(second, since: seen.version) }
    #expect(try await lisbon(repository).name == "First")
    try await repository.update(second, since: first.version)
    #expect(try await lisbon(repository).name == "Second")
  }

  /// A container on disk that two repositories share, each with a container of its own.
  @Test func containersOnOneFileSeeOneAnother() async throws {
    let folder = try TemporaryFolder()
    let store = TripStore.disk(folder.url.appending(path: "shared.store"))
    let writer = SwiftDataTripRepository(modelContainer: try store.open())
    let reader = SwiftDataTripRepository(modelContainer: try store.open())
    try await TripSyncService(modelContainer: writer.modelContainer, tripsURL: Made.tripsURL)
      .importTrips(from: [Made.lisbon()])
    var trip = try await lisbon(reader)
    trip.legs.reverse()
    try await writer.update(trip)
    #expect(try await lisbon(reader) == trip)
  }
}
