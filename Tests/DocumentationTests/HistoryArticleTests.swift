import SwiftData
import Testing

/// A model of History.md.
@Model
final class Station {
  @Attribute(.preserveValueOnDeletion) var code: String

  init(code: String) { self.code = code }
}

// snippet: history since
func changes(since token: DefaultHistoryToken?, in context: ModelContext) throws -> [DefaultHistoryTransaction] {
  var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
  if let token { descriptor.predicate = #Predicate { $0.token > token } }
  return try context.fetchHistory(descriptor)
}
// snippet end

/// The steps of History.md, each run.
@Suite struct HistoryArticleTests {
  private let container: ModelContainer
  private let context: ModelContext

  /// What follows the store by its history.
  private struct Index {
    private(set) var entries: Set<PersistentIdentifier> = []

    mutating func add(_ entry: PersistentIdentifier) { entries.insert(entry) }
    mutating func remove(_ entry: PersistentIdentifier) { entries.remove(entry) }
    mutating func replaceAll(by all: [PersistentIdentifier]) { entries = Set(all) }
  }

  init() throws {
    container = try ModelContainer(
      for: Quake.self, Station.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  private let place = Location(name: "Alaska", longitude: -150.5, latitude: 61.2)

  @Test func changesAreFollowed() throws {
    let importer = ModelContext(container)
    var index = Index()
    var token: DefaultHistoryToken?
    // snippet: history changes
    importer.author = "importer"
    importer.insert(Quake(code: "ak0001", magnitude: 4.5, time: .now, location: place))
    try importer.save()

    for transaction in try changes(since: token, in: context) {
      token = transaction.token
      // What the one who follows has saved itself.
      if transaction.author == "index" { continue }
      for change in transaction.changes {
        switch change {
        case .insert(let insert):
          index.add(insert.changedPersistentIdentifier)
        case .update(let update as DefaultHistoryUpdate<Quake>) where update.updatedAttributes.contains(\.magnitude):
          index.add(update.changedPersistentIdentifier)
        case .delete(let delete):
          index.remove(delete.changedPersistentIdentifier)
        default:
          break
        }
      }
    }
    // snippet end
    let quakes = try context.fetch(FetchDescriptor<Quake>())
    #expect(index.entries == Set(quakes.map(\.persistentModelID)))
    quakes[0].magnitude = 5
    try context.save()
    let transaction = try #require(try changes(since: token, in: context).first)
    guard case .update(let update as DefaultHistoryUpdate<Quake>) = transaction.changes[0] else {
      Issue.record("no update")
      return
    }
    #expect(update.updatedAttributes.contains(\.magnitude) && update.updatedAttributes.count == 1)
    #expect(update.updatedPropertyNames == ["magnitude"])
    let told = "\(transaction.changes[0])"
    #expect(told.hasPrefix("update Quake ") && told.hasSuffix(": magnitude"))
  }

  @Test func tombstonesAreRead() throws {
    let station = Station(code: "S")
    context.insert(station)
    try context.save()
    context.delete(station)
    try context.save()
    let change = try #require(try changes(since: nil, in: context).last?.changes.first)
    var codes: [String] = []
    // snippet: history tombstone
    if case .delete(let delete as DefaultHistoryDelete<Station>) = change {
      if let code = delete.tombstone[\.code] as? String { codes.append(code) }
    }
    // snippet end
    #expect(codes == ["S"])
  }

  @Test func readHistoryIsDeleted() throws {
    context.insert(Station(code: "S"))
    try context.save()
    let token = try #require(try changes(since: nil, in: context).last).token
    // snippet: history retention
    var configuration = ModelConfiguration("Quakes")
    configuration.historyRetention = HistoryRetention(age: 7 * 86_400)

    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= token }))
    // snippet end
    #expect(try changes(since: nil, in: context).isEmpty)
    #expect(configuration.historyRetention.size == HistoryRetention().size)
  }

  @Test func readersBeginWithTheStoreAsItIs() throws {
    var index = Index()
    context.insert(Quake(code: "ak0001", magnitude: 4.5, time: .now, location: place))
    try context.save()
    // snippet: history first
    var token = try context.currentHistoryToken()
    try index.replaceAll(by: context.fetchIdentifiers(FetchDescriptor<Quake>()))
    // snippet end
    #expect(index.entries.count == 1)
    let old = token
    context.insert(Quake(code: "ak0002", magnitude: 4.5, time: .now, location: place))
    try context.save()
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    context.insert(Quake(code: "ak0003", magnitude: 4.5, time: .now, location: place))
    try context.save()
    func follow(_ transactions: [DefaultHistoryTransaction]) throws {}
    func startAnew() throws {
      token = try context.currentHistoryToken()
      try index.replaceAll(by: context.fetchIdentifiers(FetchDescriptor<Quake>()))
    }
    // snippet: history expired
    do {
      try follow(changes(since: token, in: context))
    } catch SwiftDataError.historyTokenExpired {
      try startAnew()
    }
    // snippet end
    #expect(token != old && index.entries.count == 3)
    #expect(try changes(since: token, in: context).isEmpty)
  }
}
