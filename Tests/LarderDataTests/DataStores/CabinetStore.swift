import Foundation
import SwiftData

/// What a test's store keeps, and how it behaves.
///
/// Tests of one cabinet use it from one thread at a time.
final class Cabinet: @unchecked Sendable {
  enum Keys { case names, smallNumbers, asGiven }

  let identifier = UUID().uuidString
  var models: [PersistentIdentifier: DefaultSnapshot] = [:]
  var keys = Keys.names
  /// Whether the store filters and counts by itself, by what the test says.
  var filter: ((PersistentIdentifier, DefaultSnapshot) -> Bool)?
  var answersRelated = false
  /// Whether the store says which models match by itself.
  var namesMatches = false
  /// The entities that inherit from another.
  var below: [String: Set<String>] = [:]
  /// Run before a fetch of an entity is answered.
  var beforeFetch: (String) -> Void = { _ in }
  /// Run before a save is kept; what it throws refuses it.
  var beforeSave: () throws -> Void = {}
  /// A model that the store has already, by what is inserted.
  var known: (DefaultSnapshot) -> PersistentIdentifier? = { _ in nil }
  /// What the store makes of a model.
  var rewrite: (DefaultSnapshot) -> DefaultSnapshot? = { _ in nil }

  private(set) var next = 1
  var fetches: [String] = []
  var saves: [DataStoreSaveChangesRequest<DefaultSnapshot>] = []
  var states: [(id: UUID, begins: Bool)] = []
  var batches: [String] = []
  var counts = 0
  var cachedAsked: [PersistentIdentifier] = []
  var cache: Set<PersistentIdentifier> = []

  func key() -> String {
    defer { next += 1 }
    return keys == .smallNumbers ? "\(next)" : "key \(next)"
  }

  func identifier(_ entity: String) throws -> PersistentIdentifier {
    try .identifier(for: identifier, entityName: entity, primaryKey: key())
  }

  /// Changes what is kept past every context.
  func edit(_ identifier: PersistentIdentifier, _ change: (inout [String: Any]) -> Void) throws {
    models[identifier] = try edited(try required(models[identifier]), change)
  }

  func edited(_ snapshot: DefaultSnapshot, _ change: (inout [String: Any]) -> Void) throws -> DefaultSnapshot {
    var values = try JSONSerialization.jsonObject(with: JSONEncoder().encode(snapshot)) as? [String: Any] ?? [:]
    change(&values)
    return try JSONDecoder().decode(DefaultSnapshot.self, from: JSONSerialization.data(withJSONObject: values))
  }

  func values(_ identifier: PersistentIdentifier) throws -> [String: Any] {
    let data = try JSONEncoder().encode(try required(models[identifier]))
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  private func required<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw CocoaError(.fileNoSuchFile) }
    return value
  }

  func container(_ models: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(for: Schema(models), configurations: [CabinetConfiguration(cabinet: self)])
  }
}

struct CabinetConfiguration: DataStoreConfiguration {
  typealias Store = CabinetStore

  let cabinet: Cabinet
  var name = "cabinet"
  var schema: Schema?

  static func == (left: Self, right: Self) -> Bool { left.cabinet === right.cabinet && left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

final class CabinetStore: DataStore, DataStoreBatching {
  typealias Configuration = CabinetConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: CabinetConfiguration
  let schema: Schema
  var cabinet: Cabinet { configuration.cabinet }
  var identifier: String { cabinet.identifier }

  init(_ configuration: CabinetConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    cabinet.fetches.append(Schema.entityName(for: T.self))
    cabinet.beforeFetch(Schema.entityName(for: T.self))
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let entities = cabinet.below[Schema.entityName(for: T.self), default: []].union([Schema.entityName(for: T.self)])
    var found = cabinet.models.filter { entities.contains($0.key.entityName) }
    if request.descriptor.predicate != nil {
      guard let filter = cabinet.filter else { throw DataStoreError.preferInMemoryFilter }
      found = found.filter { filter($0.key, $0.value) }
    }
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: Array(found.values),
      relatedSnapshots: cabinet.answersRelated ? cabinet.models : [:])
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try cabinet.beforeSave()
    cabinet.saves.append(request)
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let given = snapshot.persistentIdentifier
      if cabinet.keys == .asGiven { continue }
      remapped[given] = try cabinet.known(snapshot) ?? cabinet.identifier(given.entityName)
    }
    var otherwise: [PersistentIdentifier: DefaultSnapshot] = [:]
    for snapshot in request.inserted + request.updated {
      let identifier = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      let kept = snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: remapped)
      if let rewritten = cabinet.rewrite(kept) { otherwise[identifier] = rewritten }
      cabinet.models[identifier] = otherwise[identifier] ?? kept
    }
    for snapshot in request.deleted { cabinet.models[snapshot.persistentIdentifier] = nil }
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: remapped, snapshotsToReregister: otherwise)
  }

  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    cabinet.counts += 1
    return cabinet.models.keys.count { $0.entityName == Schema.entityName(for: T.self) }
  }

  func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel {
    guard cabinet.namesMatches, request.descriptor.predicate == nil else { throw DataStoreError.preferInMemoryFilter }
    return cabinet.models.keys.filter { $0.entityName == Schema.entityName(for: T.self) }
  }

  func cachedSnapshots(
    for identifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    cabinet.cachedAsked += identifiers
    return cabinet.models.filter { identifiers.contains($0.key) && cabinet.cache.contains($0.key) }
  }

  func initializeState(for editingState: EditingState) { cabinet.states.append((editingState.id, true)) }
  func invalidateState(for editingState: EditingState) { cabinet.states.append((editingState.id, false)) }

  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
    cabinet.batches.append("\(T.self) \(request.predicate == nil ? "all" : "some") \(request.includeSubclasses)")
    cabinet.models = cabinet.models.filter { $0.key.entityName != Schema.entityName(for: T.self) }
  }
}
