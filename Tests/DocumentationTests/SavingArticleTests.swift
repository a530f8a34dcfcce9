import SwiftData
import Synchronization
import Testing

/// The steps of SavingAndUniqueness.md, each run.
@Suite struct SavingArticleTests {
  private let place = Location(name: "Alaska", longitude: -150.5, latitude: 61.2)

  private func makeContainer() throws -> ModelContainer {
    try ModelContainer(for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test func insertsOverAKeyUpdate() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    // snippet: upsert
    context.insert(Quake(code: "ak1", magnitude: 5.4, time: .now, location: place))
    try context.save()

    // The same code again: at the save the row that has it is updated.
    context.insert(Quake(code: "ak1", magnitude: 5.6, time: .now, location: place))
    try context.save()
    let count = try context.fetchCount(FetchDescriptor<Quake>())
    // snippet end
    #expect(count == 1)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Quake>()).map(\.magnitude) == [5.6])
  }

  @Test func collisionsAreNamed() throws {
    let context = ModelContext(try makeContainer())
    var messages: [String] = []
    func print(_ text: String) { messages.append(text) }
    context.insert(Quake(code: "ak1", magnitude: 5.4, time: .now, location: place))
    context.insert(Quake(code: "ak2", magnitude: 5.4, time: .now, location: place))
    try context.save()
    let second = try #require(
      try context.fetch(FetchDescriptor<Quake>(predicate: #Predicate { $0.code == "ak2" })).first)
    // snippet: conflict
    second.code = "ak1"
    do {
      try context.save()
    } catch let error as SaveError where error.code == .uniquenessConflict {
      print(error.explanation)
      context.rollback()
    }
    // snippet end
    #expect(messages.count == 1 && messages.allSatisfy { $0.contains("Nothing was written") })
    #expect(second.code == "ak2")
    #expect(!context.hasChanges)
  }

  @Test func transactionsSaveOrUndo() throws {
    let context = ModelContext(try makeContainer())
    // snippet: transaction
    try context.transaction {
      context.insert(Quake(code: "ak1", magnitude: 5.4, time: .now, location: place))
      context.insert(Quake(code: "ak2", magnitude: 2.5, time: .now, location: place))
    }
    // snippet end
    struct Stop: Error {}
    // What was pending before goes, too.
    context.insert(Quake(code: "ak0", magnitude: 1, time: .now, location: place))
    #expect(throws: Stop.self) {
      try context.transaction {
        context.insert(Quake(code: "ak3", magnitude: 1, time: .now, location: place))
        throw Stop()
      }
    }
    #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 2)
  }

  @Test func transactionsWithinATransaction() throws {
    let context = ModelContext(try makeContainer())
    struct Stop: Error {}
    func importReports(of code: String, _ context: ModelContext) throws {
      try context.transaction {
        context.insert(Quake(code: code, magnitude: 1, time: .now, location: place))
        if code == "bad" { throw Stop() }
      }
    }
    let codes = ["ak4", "bad", "ak5"]
    // snippet: inner
    try context.transaction {
      context.insert(Quake(code: "ak3", magnitude: 4.1, time: .now, location: place))
      for code in codes {
        // One that cannot be imported leaves the others.
        do { try importReports(of: code, context) } catch { print("\(code): \(error)") }
      }
    }
    // snippet end
    #expect(try Set(context.fetch(FetchDescriptor<Quake>()).map(\.code)) == ["ak3", "ak4", "ak5"])
    #expect(!context.hasChanges)
  }

  @Test func savesAreTold() throws {
    let context = ModelContext(try makeContainer())
    let counts = Mutex<[Int]>([])
    @Sendable func print(_ count: Int) { counts.withLock { $0.append(count) } }
    // snippet: notification
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
      let inserted = notification.userInfo?[key] as? [PersistentIdentifier] ?? []
      print(inserted.count)
    }
    // snippet end
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Quake(code: "ak1", magnitude: 5.4, time: .now, location: place))
    try context.save()
    #expect(counts.withLock { $0 } == [1])
  }
}
