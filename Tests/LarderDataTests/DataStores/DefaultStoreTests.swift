import Foundation
import LarderData
import SwiftData
import Testing

/// The store of a `ModelConfiguration`, used by its requests: by a store that is built around it.
@Suite struct DefaultStoreTests {
  let folder = TestFolder()

  /// Hands everything on, and counts.
  private final class Wrapper: DataStore, HistoryProviding {
    struct Configuration: DataStoreConfiguration {
      typealias Store = Wrapper
      var name = "wrapper"
      var schema: Schema?
      var url: URL

      func validate() throws {
        if url.pathExtension != "store" { throw CocoaError(.fileReadUnsupportedScheme) }
      }
    }

    typealias Snapshot = DefaultSnapshot

    let configuration: Configuration
    let schema: Schema
    let inner: DefaultStore
    var identifier: String { inner.identifier }

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
      self.configuration = configuration
      inner = try DefaultStore(
        ModelConfiguration(schema: configuration.schema, url: configuration.url), migrationPlan: migrationPlan)
      schema = inner.schema
    }

    func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
      try inner.fetch(request)
    }

    func save(
      _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try inner.save(request) }

    func fetchHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [DefaultHistoryTransaction]
    {
      try inner.fetchHistory(descriptor)
    }

    func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
      try inner.deleteHistory(descriptor)
    }
  }

  private func open() throws -> ModelContainer {
    try ModelContainer(for: Family.self, Member.self, configurations: Wrapper.Configuration(url: folder.url("a.store")))
  }

  @Test(.directly("it compares both ways itself")) func defaultStoreIsAStore() throws {
    let context = ModelContext(try open())
    let family = Family(name: "Roe")
    family.members = [Member(name: "Ann", age: 40), Member(name: "Bob", age: 9)]
    context.insert(family)
    try context.save()
    family.members.reverse()
    context.insert(Family(name: "Doe"))
    try context.save()
    // Containers go past the requests, to the same rows.
    let direct = ModelContext(
      try ModelContainer(
        for: Family.self, Member.self, configurations: ModelConfiguration(url: folder.url("a.store"))))
    let same = try #require(
      try direct.fetch(FetchDescriptor<Family>(predicate: #Predicate { $0.name == "Roe" })).first)
    #expect(same.persistentModelID == family.persistentModelID)
    #expect(same.members.map(\.name) == ["Bob", "Ann"])
    // What one of them saves, the other sees.
    same.members[0].age = 10
    direct.insert(Member(name: "Zoe", family: same))
    try direct.save()
    let young = FetchDescriptor<Member>(predicate: #Predicate { $0.age < 18 }, sortBy: [SortDescriptor(\.name)])
    #expect(try context.fetch(young).map(\.name) == ["Bob", "Zoe"])
    #expect(family.members.map(\.name) == ["Bob", "Ann", "Zoe"])
    context.delete(family)
    try context.save()
    #expect(try direct.fetchCount(FetchDescriptor<Member>()) == 0)
    #expect(same.modelContext == nil)
    // A unique key leads to the row.
    let doe = Family(name: "Doe")
    context.insert(doe)
    try context.save()
    #expect(try direct.fetchCount(FetchDescriptor<Family>()) == 1)
    let store = try DefaultStore(
      ModelConfiguration("named", schema: Schema([Family.self, Member.self]), url: folder.url("a.store")))
    #expect(store.name == "named" && store.schema.entities.count == 2 && store.configuration.name == "named")
    #expect(store.identifier == doe.persistentModelID.storeIdentifier)
    #expect(throws: SwiftDataError.self) { try DefaultStore(ModelConfiguration(url: folder.url("a.store"))) }
    try store.erase()
    #expect(try context.fetchCount(FetchDescriptor<Family>()) == 0)
  }

  @Test(.directly("it opens the store both ways itself")) func anUpdateMakesNoRowThatOthersDeleted() throws {
    let context = ModelContext(try open())
    let family = Family(name: "Roe")
    context.insert(family)
    try context.save()
    let direct = ModelContext(
      try ModelContainer(
        for: Family.self, Member.self, configurations: ModelConfiguration(url: folder.url("a.store"))))
    for one in try direct.fetch(FetchDescriptor<Family>()) { direct.delete(one) }
    try direct.save()
    family.name = "Doe"
    let error = #expect(throws: SaveError.self) { try context.save() }
    #expect(error?.code == .rowDeleted)
    #expect(try direct.fetchCount(FetchDescriptor<Family>()) == 0)
  }

  @Test func historyOfAStoresOwn() throws {
    let container = try open()
    let context = ModelContext(container)
    context.author = "me"
    let tokens = Counted<[String]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.historyTokens.rawValue
      let told = notification.userInfo?[key] as? [String: any HistoryToken] ?? [:]
      tokens.update { $0 += told.compactMap { $0.value is DefaultHistoryToken ? $0.key : nil } }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Family(name: "Roe"))
    try context.save()
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.author) == ["me"] && history[0].changes.count == 1)
    #expect(tokens.value == [history[0].storeIdentifier])
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
  }

  @Test func savesTellTheirGeneration() throws {
    let context = ModelContext(try ModelContainer(for: Crate.self, configurations: .init(isStoredInMemoryOnly: true)))
    let generations = Counted<[DefaultHistoryToken]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.queryGeneration.rawValue
      if let token = notification.userInfo?[key] as? DefaultHistoryToken { generations.update { $0.append(token) } }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    for number in 1...3 {
      context.insert(Crate(number: number))
      try context.save()
    }
    let told = generations.value
    #expect(told.count == 3 && told == told.sorted() && Set(told).count == 3)
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.token) == told)
  }

  @Test func configurationsAreChecked() throws {
    #expect(throws: CocoaError.self) {
      try ModelContainer(
        for: Family.self, Member.self, configurations: Wrapper.Configuration(url: folder.url("a.json")))
    }
    #expect(folder.names.isEmpty)
    let cabinet = Cabinet()
    let twice = [CabinetConfiguration(cabinet: cabinet), CabinetConfiguration(cabinet: cabinet)]
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema([Crate.self]), configurations: twice)
    }
    #expect(error == .duplicateConfiguration)
    let sameStore = [
      CabinetConfiguration(cabinet: cabinet, name: "one", schema: Schema([Crate.self])),
      CabinetConfiguration(cabinet: cabinet, name: "two", schema: Schema([Sensor.self])),
    ]
    let other = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema([Crate.self, Sensor.self]), configurations: sameStore)
    }
    #expect(other == .duplicateConfiguration && other?.explanation?.contains(cabinet.identifier) == true)
    let container = try cabinet.container(Crate.self)
    #expect(container.storeIdentifier(forConfigurationNamed: "cabinet") == cabinet.identifier)
    #expect(container.configurationName(forStoreIdentifier: cabinet.identifier) == "cabinet")
    #expect(container.configurations.isEmpty, "Apple's property has none of another kind")
  }
}
