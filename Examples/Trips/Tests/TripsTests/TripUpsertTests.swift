import SwiftData
import Testing

@testable import trips

/// The short way beside the loop: the same trips, whatever comes.
@Suite struct TripUpsertTests {
  private func stored(_ container: ModelContainer) throws -> [Stored] {
    let context = ModelContext(container)
    return try context.fetch(FetchDescriptor<TripEntity>(sortBy: [SortDescriptor(\.remoteId)])).map { trip in
      Stored(
        id: trip.remoteId, name: trip.name, start: trip.startDate, end: trip.endDate,
        legs: trip.legs.map { "\($0.origin)–\($0.destination) \($0.means)" }, people: trip.people.map(\.name),
        tags: trip.tags.map(\.name))
    }
  }

  private struct Stored: Equatable {
    let id: String
    let name: String
    let start: Date
    let end: Date
    let legs: [String]
    let people: [String]
    let tags: [String]
  }

  private func counts(_ container: ModelContainer) throws -> [Int] {
    let context = ModelContext(container)
    return [
      try context.fetchCount(FetchDescriptor<TripEntity>()), try context.fetchCount(FetchDescriptor<LegEntity>()),
      try context.fetchCount(FetchDescriptor<PersonEntity>()), try context.fetchCount(FetchDescriptor<TagEntity>()),
    ]
  }

  @Test func itDoesWhatTheLoopDoes() async throws {
    let (byLoop, byUpsert) = (try Made.container(), try Made.container())
    let loop = TripSyncService(modelContainer: byLoop, tripsURL: Made.tripsURL)
    let short = TripSyncService(modelContainer: byUpsert, tripsURL: Made.tripsURL)
    let rome = TripDTO(
      id: "rome", name: "Rome", startDate: Made.day(3), legs: [], people: ["Grace", "Ada"], tags: ["south"])
    var bare = Made.oslo(name: "Oslo, bare")
    bare.legs = nil
    bare.people = ["Nobody yet"]
    // Shared names within one answer and with what is there; a trip twice; one that is known with other legs, which are
    // the store's own by then.
    let answers: [[TripDTO]] = [
      [Made.oslo(), Made.lisbon()],
      [Made.lisbon(name: "Lisbon at last", startDate: Made.day(2)), rome],
      [bare, rome],
      [],
      [
        TripDTO(id: "twice", name: "first", startDate: Made.day(5)),
        TripDTO(id: "twice", name: "last", startDate: Made.day(6)),
      ],
    ]
    for dtos in answers {
      try await loop.importTrips(from: dtos)
      try await short.upsertTrips(from: dtos)
      #expect(try stored(byUpsert) == stored(byLoop))
      #expect(try counts(byUpsert) == counts(byLoop))
    }
  }

  @Test func itSaysWhatWasDone() async throws {
    let container = try Made.container()
    let service = TripSyncService(modelContainer: container, tripsURL: Made.tripsURL)
    let bad = TripDTO(id: "bad", name: "Bad", startDate: Date(timeIntervalSinceReferenceDate: .nan))
    let first = try await service.upsertTrips(from: [Made.oslo(), bad, Made.lisbon()])
    #expect(first.new.inserted == 2 && first.new.failed == 1)
    let second = try await service.upsertTrips(from: [Made.lisbon(name: "Lisbon at last"), Made.oslo()])
    #expect(second.new.inserted == 0 && second.known.updated == 1 && second.known.unchanged == 1)
    let changes = StoreChanges(of: container)
    let third = try await service.upsertTrips(from: [Made.lisbon(name: "Lisbon at last"), Made.oslo()])
    #expect(third.known.unchanged == 2 && changes.written == 0)
  }
}
