import SwiftData
import Testing

/// Containers, contexts, actors and identifiers, each initializer with its defaults and without.
@Suite struct ContextSymbolTests {
  typealias Card = SymbolModels.Card

  @Test func containersAreMadeInEachWay() throws {
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    let schema = Schema(Card.self)
    let containers = [
      try ModelContainer(for: Card.self, configurations: memory),
      try ModelContainer(for: Card.self, migrationPlan: nil, configurations: memory),
      try ModelContainer(for: schema, configurations: memory),
      try ModelContainer(for: schema, migrationPlan: nil, configurations: memory),
      try ModelContainer(for: schema, configurations: [memory]),
      try ModelContainer(for: schema, migrationPlan: nil, configurations: [memory]),
    ]
    for container in containers {
      #expect(container.schema == schema && container.migrationPlan == nil)
      #expect(container == container && container.configurations.map(\.isStoredInMemoryOnly) == [true])
    }
  }

  private protocol Deleting { func delete(_ container: ModelContainer) }

  /// Called by its protocol, so that the use of a deprecated function is no warning.
  private struct AllData: Deleting {
    @available(*, deprecated)
    func delete(_ container: ModelContainer) { container.deleteAllData() }
  }

  @Test func deletingAllDataErases() throws {
    let container = try SymbolModels.container()
    let context = ModelContext(container)
    context.insert(Card(number: 1))
    try context.save()
    let everything: any Deleting = AllData()
    everything.delete(container)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Card>()) == 0)
  }

  @Test func aContextKnowsItsContainer() throws {
    let container = try SymbolModels.container()
    let context = ModelContext(container)
    #expect(context.container == container && context == context && context != ModelContext(container))
    #expect(context.debugDescription.contains("ModelContext"))
    #expect(context.editingState.id == context.editingState.id && context.editingState.author == nil)
  }

  @Test func processingPendingChangesKeepsThemPending() throws {
    let context = ModelContext(try SymbolModels.container())
    context.insert(Card(number: 1))
    context.processPendingChanges()
    #expect(context.insertedModelsArray.count == 1 && context.hasChanges)
  }

  @Test func notificationKeysAreSpelledAsOnApplesSystems() {
    let keys: [ModelContext.NotificationKey] = [
      .queryGeneration, .invalidatedAllIdentifiers, .insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers,
      .historyTokens,
    ]
    for key in keys { #expect(ModelContext.NotificationKey(rawValue: key.rawValue) == key) }
    #expect(Set(keys.map(\.rawValue)).count == keys.count)
  }

  @Test func saveTellsWhatWasUpdatedAndDeleted() throws {
    let context = ModelContext(try SymbolModels.container())
    let cards = (1...2).map(Card.init(number:))
    for card in cards { context.insert(card) }
    try context.save()
    cards[0].text = "new"
    context.delete(cards[1])
    let expected = cards.map(\.persistentModelID)
    nonisolated(unsafe) var told: [ModelContext.NotificationKey: [PersistentIdentifier]] = [:]
    let observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      for key in [ModelContext.NotificationKey.updatedIdentifiers, .deletedIdentifiers] {
        told[key] = $0.userInfo?[key.rawValue] as? [PersistentIdentifier]
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.save()
    #expect(told[.updatedIdentifiers] == [expected[0]] && told[.deletedIdentifiers] == [expected[1]])
  }

  @Test func modelActorsWorkInTheirOwnContext() async throws {
    let container = try SymbolModels.container()
    let file = SymbolModels.CardFile(modelContainer: container)
    let id = try await file.add(5)
    #expect(await file.number(id) == 5)
    #expect(await file.isInItsContext())
    #expect(file.modelContainer == container)
  }

  @Test func anExecutorCanBeMadeByHand() throws {
    let context = ModelContext(try SymbolModels.container())
    let executor = DefaultSerialModelExecutor(modelContext: context)
    #expect(executor.modelContext == context)
    let general: any ModelExecutor = executor
    #expect(general.modelContext == context)
  }

  private actor Handmade {
    nonisolated let executor: DefaultSerialModelExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ context: ModelContext) { executor = DefaultSerialModelExecutor(modelContext: context) }

    func count() throws -> Int {
      executor.checkIsolated()
      return try executor.modelContext.fetchCount(FetchDescriptor<Card>())
    }
  }

  @Test func anActorRunsOnAnExecutorMadeByHand() async throws {
    let container = try SymbolModels.container()
    _ = try await SymbolModels.CardFile(modelContainer: container).add(1)
    #expect(try await Handmade(ModelContext(container)).count() == 1)
  }

  @Test func versionedSchemasAndPlansAreKept() throws {
    let plan: any SchemaMigrationPlan.Type = SymbolModels.Plan.self
    #expect(plan.schemas.count == 1 && plan.stages.isEmpty)
    #expect(plan.schemas[0].versionIdentifier == Schema.Version(1, 2, 3) && plan.schemas[0].models.count == 1)
    let container = try ModelContainer(
      for: Schema(versionedSchema: SymbolModels.First.self), migrationPlan: SymbolModels.Plan.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    #expect(container.migrationPlan == SymbolModels.Plan.self)
  }

  @Test func identifiersAreMadeForKeysAndSorted() throws {
    let first = try PersistentIdentifier.identifier(for: "store", entityName: "Card", primaryKey: 1)
    let second = try PersistentIdentifier.identifier(for: "store", entityName: "Card", primaryKey: 2)
    #expect(first < second && first != second && first.id != second.id)
    #expect(first.entityName == "Card" && first.storeIdentifier == "store" && !first.isTemporary)
    #expect(throws: SwiftDataError.self) {
      try PersistentIdentifier.identifier(for: "store", entityName: "Card", primaryKey: "")
    }
  }

  @Test func descriptorsCanBeSentAndCompared() {
    func send<Value: Sendable & Equatable>(_ value: Value) -> Bool { value == value }
    let all = FetchDescriptor<Card>()
    #expect(all.predicate == nil && all.sortBy.isEmpty)
    #expect(send(all) && send(FetchDescriptor<Card>(predicate: nil)) && send(FetchDescriptor<Card>(sortBy: [])))
  }

  @Test func storesErrorsAreFour() {
    let errors: Set<DataStoreError> = [
      .unsupportedFeature, .preferInMemoryFilter, .preferInMemorySort, .invalidPredicate,
    ]
    #expect(errors.count == 4)
  }
}
