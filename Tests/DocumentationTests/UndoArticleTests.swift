import SwiftData
import Testing

/// The steps of Undo.md, each run.
@Suite struct UndoArticleTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let quake: Quake

  init() throws {
    container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    let place = Location(name: "Alaska", longitude: -150.5, latitude: 61.2)
    quake = Quake(code: "ak1", magnitude: 5.4, time: .now, location: place)
    context.insert(quake)
    try context.save()
  }

  private func stored() throws -> [Double] {
    try ModelContext(container).fetch(FetchDescriptor<Quake>()).map(\.magnitude)
  }

  @Test func stepsAreUndone() throws {
    // snippet: undo
    let undoManager = UndoManager()
    context.undoManager = undoManager
    quake.magnitude = 6.1
    try context.save()
    context.delete(quake)
    try context.save()

    undoManager.undo()  // the quake is back, under its identifier
    undoManager.undo()  // and its magnitude is what it was
    try context.save()
    // snippet end
    #expect(try stored() == [5.4])
    undoManager.redo()
    try context.save()
    #expect(try stored() == [6.1])
  }

  @Test func savesAreGrouped() throws {
    let undoManager = UndoManager()
    context.undoManager = undoManager
    let quakes = [quake]
    var titles: [String] = []
    func print(_ title: String) { titles.append(title) }
    // snippet: undo groups
    do {
      undoManager.beginUndoGrouping()
      defer { undoManager.endUndoGrouping() }  // also if a save throws
      for quake in quakes {
        quake.magnitude += 0.1
        try context.save()
        quake.reports = 1
        try context.save()
      }
    }
    undoManager.setActionName("Revise")
    print(undoManager.undoMenuItemTitle)  // Undo Revise
    // snippet end
    #expect(titles == ["Undo Revise"])
    undoManager.undo()
    #expect(quake.magnitude == 5.4 && quake.reports == nil && !undoManager.canUndo)
  }

  @Test func registrationIsSuspended() throws {
    let undoManager = UndoManager()
    context.undoManager = undoManager
    // snippet: suspended
    undoManager.disableUndoRegistration()
    quake.magnitude = 6.1
    context.processPendingChanges()
    undoManager.enableUndoRegistration()
    // snippet end
    #expect(!undoManager.canUndo)
    quake.reports = 7
    try context.save()
    undoManager.undo()
    #expect(quake.magnitude == 6.1 && quake.reports == nil)
  }

  @Test func whatIsNotUndone() throws {
    let undoManager = UndoManager()
    context.undoManager = undoManager
    try context.updateAndSave(Quake.self) { $0.set(\.reports, to: 7) }
    context.insert(Quake(code: "ak1", magnitude: 5.9, time: quake.time, location: quake.location))
    try context.save()
    #expect(!undoManager.canUndo)
    #expect(quake.magnitude == 5.9)

    quake.magnitude = 6.1
    try context.save()
    #expect(undoManager.canUndo)
    context.rollback()
    #expect(!undoManager.canUndo)
  }

  /// A turn of the main queue is a step, and a save may hold several.
  @MainActor @Test func turnsAreSteps() async throws {
    let context = container.mainContext
    let undoManager = UndoManager()
    context.undoManager = undoManager
    let quake = try #require(try context.fetch(FetchDescriptor<Quake>()).first)
    context.autosaveEnabled = false
    quake.magnitude = 6
    await withCheckedContinuation { turn in DispatchQueue.main.async { turn.resume() } }
    quake.magnitude = 7
    try context.save()
    undoManager.undo()
    #expect(quake.magnitude == 6)
    undoManager.undo()
    #expect(quake.magnitude == 5.4)
    context.rollback()
  }
}
