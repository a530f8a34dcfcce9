import Foundation
import SwiftData

/// What a plain store keeps: whole snapshots by their identifiers, as in a file of JSON.
///
/// Tests of one box use it from one thread at a time.
final class CardBox: @unchecked Sendable {
  let identifier = UUID().uuidString
  var cards: [PersistentIdentifier: DefaultSnapshot] = [:]
  /// What models were called until they were saved, and are called since.
  private(set) var given: [PersistentIdentifier: PersistentIdentifier] = [:]
  private var next = 0
  /// What it answers besides.
  var besides: [DefaultSnapshot] = []

  func keep(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws
    -> [PersistentIdentifier: PersistentIdentifier]
  {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      next += 1
      remapped[snapshot.persistentIdentifier] = try .identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: "card \(next)")
    }
    for snapshot in request.inserted + request.updated {
      let name = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      cards[name] = snapshot.copy(persistentIdentifier: name, remappedIdentifiers: remapped)
    }
    for snapshot in request.deleted { cards[snapshot.persistentIdentifier] = nil }
    given.merge(remapped) { $1 }
    return remapped
  }

  func container(_ models: [any PersistentModel.Type]) throws -> ModelContainer {
    try ModelContainer(for: Schema(models), configurations: [CardBoxConfiguration(box: self)])
  }
}

struct CardBoxConfiguration: DataStoreConfiguration {
  typealias Store = CardBoxStore

  let box: CardBox
  var name = "cards"
  var schema: Schema?

  static func == (left: Self, right: Self) -> Bool { left.box === right.box && left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

final class CardBoxStore: DataStore {
  typealias Configuration = CardBoxConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: CardBoxConfiguration
  let schema: Schema
  var identifier: String { configuration.box.identifier }

  init(_ configuration: CardBoxConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let found = (Array(configuration.box.cards.values) + configuration.box.besides).filter {
      $0.persistentIdentifier.entityName == Schema.entityName(for: T.self)
    }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: found)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: try configuration.box.keep(request))
  }
}
