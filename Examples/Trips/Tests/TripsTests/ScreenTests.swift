import ExampleSupport
import FoundationNetworking
import LarderTesting
import SwiftData
import Testing

@testable import trips

/// What reaches the windows by itself.
@MainActor @Suite struct ScreenTests {
  nonisolated private static let sentences: [(ServerBehaviour, String)] = [
    (.error, "The trips&#39; server has a problem of its own (status 500). Try again later."),
    (.silent, "The server did not answer within 1 second."),
    (.html, "The server answered with a web page instead of trips."),
    (.truncated, "The server&#39;s answer broke off before its end."),
    (.nonsense, "The server sent a trip that cannot be read: number 1, name is missing or of the wrong kind."),
    (.gone, "The server cannot be reached: nobody answers at its address."),
  ]

  @Test(arguments: sentences.indices) func failureIsASentenceAndTheListStays(index: Int) async throws {
    let (behaviour, sentence) = Self.sentences[index]
    let scene = try await Scene()
    let before = scene.screen.list.trips
    _ = try await scene.post("/server/behaviour", [("behaviour", behaviour.rawValue)])
    #expect(scene.screen.server.behaviour == behaviour)
    let (_, html) = try await scene.post("/sync", [])
    #expect(html.contains(sentence + " The trips are shown as they were."))
    #expect(html.ranges(of: "<article").count == 2)
    #expect(scene.screen.list.trips == before)

    // The sentence goes with the next sync that is well.
    _ = try await scene.post("/server/behaviour", [("behaviour", "well")])
    let (_, well) = try await scene.post("/sync", [])
    #expect(!well.contains("class=\"problem\">The "))
    await scene.end()
  }

  @Test func slowServerIsSaidToBeAsked() async throws {
    let scene = try await Scene()
    _ = try await scene.post("/server/behaviour", [("behaviour", "late")])
    let asking = Task { try await scene.post("/sync", []) }
    try await scene.until("the question") { scene.screen.server.isAsked }
    #expect(try await scene.get().contains("Asking the trips’ server"))
    _ = try await asking.value
    #expect(try await !scene.get().contains("Asking the trips’ server"))
    #expect(scene.screen.list.syncError == nil)
    await scene.end()
  }

  @Test func offersComeWithTheNextSync() async throws {
    let scene = try await Scene()
    let fields = [("id", "oslo"), ("name", "Oslo & back"), ("first-day", "2001-03-01"), ("last-day", "2001-03-05")]
    _ = try await scene.post("/server/trip", fields)
    _ = try await scene.post(
      "/server/trip", [("id", ""), ("name", "Rome"), ("first-day", "2002-01-01"), ("last-day", "2002-01-01")])
    #expect(scene.screen.list.trips.map(\.name) == ["Lisbon", "Oslo"])
    _ = try await scene.post("/sync", [])
    #expect(scene.screen.list.trips.map(\.name) == ["Lisbon", "Oslo & back", "Rome"])
    #expect(scene.screen.list.trips[1].legs.count == 1)

    let (_, html) = try await scene.post("/server/trip", fields.map { $0.0 == "last-day" ? ($0.0, "2001-02-01") : $0 })
    #expect(html.contains("The last day lies before the first."))
    await scene.end()
  }

  @Test func windowsAreToldOfWhatChangedAndOfNothingElse() async throws {
    let scene = try await Scene()
    try await scene.until("the first drawings") { scene.screen.events.sent > 0 }
    try await Task.sleep(for: .milliseconds(50))
    var sent = scene.screen.events.sent
    // Nothing new: the list is assigned, but what is drawn of it is the same.
    await scene.screen.load()
    try await Task.sleep(for: .milliseconds(50))
    #expect(scene.screen.events.sent == sent)

    // By somebody who knows nothing of the screen.
    let context = ModelContext(scene.dependencies.modelContainer)
    try #require(try context.fetch(FetchDescriptor<PersonEntity>(predicate: #Predicate { $0.name == "Ada" })).first)
      .name = "Ada L."
    try context.save()
    try await scene.until("an event") { scene.screen.events.sent > sent }
    #expect(scene.screen.list.trips.map { $0.people.first } == ["Ada L.", "Ada L."])
    sent = scene.screen.events.sent
    await scene.end()
  }

  @Test func eventsArriveOverTheSocket() async throws {
    let scene = try await Scene()
    let url = scene.page.url.appending(path: "events")
    try await scene.until("the first drawings") { scene.screen.events.sent > 0 }
    try await Task.sleep(for: .milliseconds(50))
    #expect(try await scene.get().contains("<body data-events=\"\(scene.screen.events.sent)\">"))
    let events = Task { String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self) }
    try await scene.until("a window") { scene.screen.events.listeners > 0 }
    let sent = scene.screen.events.sent
    _ = try await scene.post("/trip", try scene.fields(of: "oslo") { $0.tags = "cold" })
    try await scene.until("an event") { scene.screen.events.sent > sent }
    await scene.end()
    let text = try await events.value
    // First how many there have been, by which a page knows whether it was drawn before the latest of them.
    #expect(text.contains("event: begun\ndata: \(sent)\n"))
    #expect(text.contains("event: change\n"))
  }

  @Test func savesOfAnotherContainerOnTheFileAreSeen() async throws {
    let folder = try TemporaryFolder()
    let store = TripStore.disk(folder.url.appending(path: "shared.store"))
    let scene = try await Scene(store: store)
    let other = SwiftDataTripRepository(modelContainer: try store.open())
    var trip = try #require(try await other.fetchAll().first)
    trip.name = "From elsewhere"
    try await other.update(trip)
    try await scene.until("the other's save") { scene.screen.list.trips.first?.name == "From elsewhere" }
    await scene.end()
  }

  /// Whole programs in memory, many at a time, none of which knows of another.
  @Test func tenScreensAtATime() async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<10 { tasks.addTask { try await screen(number) } }
      try await tasks.waitForAll()
    }
  }

  private func screen(_ number: Int) async throws {
    let scene = try await Scene([Made.lisbon(name: "Trip \(number)")])
    _ = try await scene.post("/trip", try scene.fields(of: "lisbon") { $0.tags = "t\(number)" })
    #expect(scene.screen.list.trips.map(\.name) == ["Trip \(number)"])
    #expect(scene.screen.list.trips.map(\.tags) == [["t\(number)"]])
    await scene.end()
  }
}
