import Dispatch
import SwiftData
import Synchronization
import Testing

/// The steps of Contexts.md, each run.
@Suite(.timeLimit(.minutes(10))) struct ContextsArticleTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let quake: Quake
  private let editor: QuakeEditor

  init() throws {
    container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    quake = Self.makeQuake("ak1")
    context.insert(quake)
    try context.save()
    editor = QuakeEditor(modelContainer: container)
  }

  private static func makeQuake(_ code: String) -> Quake {
    let place = Location(name: "Alaska", longitude: -150.5, latitude: 61.2)
    return Quake(code: code, magnitude: 5.4, time: .now, location: place)
  }

  private func stored() throws -> [Quake] { try ModelContext(container).fetch(FetchDescriptor<Quake>()) }

  @Test func identifiersCross() async throws {
    // snippet: identifiers
    let editor = QuakeEditor(modelContainer: container)
    try await editor.revise(quake.persistentModelID, to: 5.8, reports: 12)
    // snippet end
    #expect(try stored().map(\.magnitude) == [5.8])
    try await editor.forget(quake.persistentModelID)
    #expect(try stored().isEmpty)
    try await editor.forget(quake.persistentModelID)
    let id = quake.persistentModelID
    let error = await #expect(throws: FetchError.self) { try await editor.revise(id, to: 1, reports: 1) }
    #expect(error?.code == .rowNotFound)
  }

  @Test func whatOthersSaveIsTakenOver() async throws {
    var seen: [Double] = []
    func print(_ magnitude: Double) { seen.append(magnitude) }
    // snippet: taking over
    try await editor.revise(quake.persistentModelID, to: 5.8, reports: 12)
    let count = try context.fetchCount(FetchDescriptor<Quake>())  // any fetch will do
    print(quake.magnitude)  // 5.8
    // snippet end
    #expect(seen == [5.8] && count == 1)

    context.automaticallyMergesChanges = false
    try await editor.revise(quake.persistentModelID, to: 6.1, reports: 12)
    _ = try context.fetchCount(FetchDescriptor<Quake>())
    #expect(quake.magnitude == 5.8)
    _ = try context.fetch(FetchDescriptor<Quake>())
    #expect(quake.magnitude == 6.1)
  }

  @Test func modelsLieInStoresOfTheirOwn() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("trips.store")
    // snippet: several stores
    let container = try ModelContainer(
      for: Quake.self, Trip.self,
      configurations: ModelConfiguration("Feed", schema: Schema([Quake.self]), isStoredInMemoryOnly: true),
      ModelConfiguration("Trips", url: file))
    let context = ModelContext(container)
    let place = Location(name: "Alaska", longitude: -150.5, latitude: 61.2)
    context.insert(Quake(code: "ak2", magnitude: 2.5, time: .now, location: place))
    context.insert(Trip(name: "Kyoto"))
    try context.save()  // in both stores
    // snippet end
    let onDisk = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: file))
    #expect(try ModelContext(onDisk).fetch(FetchDescriptor<Trip>()).map(\.name) == ["Kyoto"])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 1)
  }

  @Test func requestsHaveContextsOfTheirOwn() async throws {
    let handler = QuakeHandler(container: container, editor: editor)
    let id = quake.persistentModelID
    try await withThrowingTaskGroup(of: Void.self) { requests in
      for request in 1...20 {
        requests.addTask { try await handler.revise(id, to: 5.4 + Double(request), reports: request) }
        requests.addTask {
          let lines = try handler.strongest(3)
          #expect(lines.count == 1)
        }
      }
      try await requests.waitForAll()
    }
    try await handler.revise(id, to: 6.1, reports: 21)
    #expect(try handler.strongest(3) == ["ak1 6.1"])
  }

  @MainActor @Test func observersOfTheMainContextAreTold() async throws {
    let quake = try #require(try container.mainContext.fetch(FetchDescriptor<Quake>()).first)
    var seen: [Double] = []
    func print(_ magnitude: Double) {
      seen.append(magnitude)
      let id = quake.persistentModelID
      if seen.count == 1 { Task { [editor] in try await editor.revise(id, to: 5.8, reports: 12) } }
    }
    // snippet: observing
    for await magnitude in Observations({ quake.magnitude }) {
      print(magnitude)
      if magnitude > 5.5 { break }
    }
    // snippet end
    #expect(seen == [5.4, 5.8])
  }

  /// What is stored by whom wins is in the article's table, a row for each policy.
  @Test(arguments: MergePolicy.allCases) func bothHaveEdited(policy: MergePolicy) async throws {
    context.mergePolicy = policy
    func edit() async throws {
      // snippet: both have edited
      quake.magnitude = 5.6
      try await editor.revise(quake.persistentModelID, to: 5.8, reports: 12)  // by somebody else
      try context.save()
      // snippet end
    }
    if policy == .error {
      let error = await #expect(throws: SaveError.self) { try await edit() }
      #expect(error?.code == .mergeConflict)
    } else {
      try await edit()
    }
    let row = try #require(try stored().first)
    let values = "\(row.magnitude) and \(row.reports.map { "\($0)" } ?? "nil")"
    let line = try Documents.text("Sources/LarderData/LarderData.docc/Contexts.md").split(separator: "\n")
      .first { $0.hasPrefix("| `.\(policy.rawValue)`") }
    #expect(line?.contains("| \(values) |") == true, "Contexts.md says otherwise: \(line ?? "nothing")")
  }

  @Test func conflictsCanBeErrors() async throws {
    var messages: [String] = []
    func print(_ text: String) { messages.append(text) }
    // snippet: conflict as an error
    context.mergePolicy = .error
    quake.magnitude = 5.6
    try await editor.revise(quake.persistentModelID, to: 5.8, reports: 12)
    do {
      try context.save()
    } catch let error as SaveError where error.code == .mergeConflict {
      print(error.explanation)
      context.rollback()  // the quake is what is stored by now
    }
    // snippet end
    #expect(messages.count == 1 && messages.allSatisfy { $0.contains("changed by somebody else") })
    #expect(quake.magnitude == 5.8 && quake.reports == 12)
  }

  @Test func deletedObjectsCanBeTouched() async throws {
    var lines: [String] = []
    func print(_ isDeleted: Bool, _ magnitude: Double) { lines.append("\(isDeleted) \(magnitude)") }
    // snippet: deleted
    context.delete(quake)
    print(quake.isDeleted, quake.magnitude)  // true 5.4
    try context.save()
    print(quake.isDeleted, quake.magnitude)  // true 5.4
    // snippet end
    #expect(lines == ["true 5.4", "true 5.4"])
    #expect(quake.modelContext == nil)

    let other = Self.makeQuake("ak2")
    context.insert(other)
    try context.save()
    try await editor.forget(other.persistentModelID)
    #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 0)
    #expect(other.modelContext == nil && other.magnitude == 5.4)
  }

  @MainActor @Test func mainContextSavesByItself() async throws {
    // snippet: autosave
    let context = container.mainContext
    context.insert(Quake(code: "ak2", magnitude: 2.5, time: .now, location: quake.location))
    // Nobody calls save(): the end of this turn does.
    // snippet end
    #expect(try stored().count == 1)
    while context.hasChanges { try await Task.sleep(for: .milliseconds(1)) }
    #expect(try stored().count == 2)
  }

  @Test func actorsMaySaveByThemselves() async throws {
    let recorder = QuakeRecorder(modelContainer: container)
    await recorder.record("ak2", 2.5, at: quake.location)
    while await recorder.hasChanges { try await Task.sleep(for: .milliseconds(1)) }
    #expect(try stored().count == 2)
  }

  @Test func savesSayWhoseTheyAre() throws {
    let seen = Mutex<[String]>([])
    @Sendable func print(_ author: String, _ id: UUID) { seen.withLock { $0.append("\(author) \(id)") } }
    // snippet: author
    context.author = "import"
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: nil, queue: nil
    ) { notification in
      guard let saved = notification.object as? ModelContext else { return }
      print(saved.author ?? "somebody", saved.editingState.id)
    }
    // snippet end
    defer { NotificationCenter.default.removeObserver(observer) }
    quake.magnitude = 5.6
    try context.save()
    #expect(seen.withLock { $0 }.contains("import \(context.editingState.id)"))
    #expect(context.editingState.author == "import")
    #expect(ModelContext(container).editingState.id != context.editingState.id)
  }

  /// An actor that is busy, with changes pending, keeps nobody from fetching and saving.
  @MainActor @Test func slowActorHoldsNobodyUp() async throws {
    let folder = try TemporaryFolder()
    for configuration in [
      ModelConfiguration(isStoredInMemoryOnly: true), ModelConfiguration(url: folder.file("quakes.store")),
    ] {
      let container = try ModelContainer(for: Quake.self, configurations: configuration)
      let (begun, end) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
      // Made on the main actor, and does not run there.
      let slow = SlowImporter(modelContainer: container)
      let work = Task { try await slow.work(begun.continuation, until: end) }
      for await _ in begun.stream { break }
      let context = container.mainContext
      context.insert(Self.makeQuake("ak2"))
      try context.save()
      #expect(try context.fetch(FetchDescriptor<Quake>()).map(\.code) == ["ak2"])
      end.signal()
      #expect(try await work.value, "nobody else came to anything while the actor was busy")
      #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 2)
    }
  }

  @ModelActor
  actor SlowImporter {
    /// - Returns: Whether it was told to end, and did not just have enough.
    func work(_ begun: AsyncStream<Void>.Continuation, until end: DispatchSemaphore) throws -> Bool {
      modelContext.insert(ContextsArticleTests.makeQuake("ak1"))
      begun.yield()
      let isTold = end.wait(timeout: .now() + 60) == .success
      try modelContext.save()
      return isTold
    }
  }
}

// snippet: editor
@ModelActor
actor QuakeEditor {
  func revise(_ id: PersistentIdentifier, to magnitude: Double, reports: Int) throws {
    try modelContext.transaction {
      let quake = try modelContext.existingModel(for: id, as: Quake.self)
      quake.magnitude = magnitude
      quake.reports = reports
    }
  }

  func forget(_ id: PersistentIdentifier) throws {
    guard let quake = self[id, as: Quake.self] else { return }  // it is gone already
    try modelContext.transaction { modelContext.delete(quake) }
  }
}
// snippet end

// snippet: recorder
@ModelActor
actor QuakeRecorder {
  func record(_ code: String, _ magnitude: Double, at place: Location) {
    modelContext.autosaveEnabled = true
    modelContext.insert(Quake(code: code, magnitude: magnitude, time: .now, location: place))
  }

  var hasChanges: Bool { modelContext.hasChanges }
}
// snippet end

// snippet: server
struct QuakeHandler {
  let container: ModelContainer
  let editor: QuakeEditor

  func strongest(_ count: Int) throws -> [String] {
    let context = ModelContext(container)
    var strongest = FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.magnitude, order: .reverse)])
    strongest.fetchLimit = count
    return try context.fetch(strongest).map { "\($0.code) \($0.magnitude)" }
  }

  func revise(_ id: PersistentIdentifier, to magnitude: Double, reports: Int) async throws {
    try await editor.revise(id, to: magnitude, reports: reports)
  }
}
// snippet end
