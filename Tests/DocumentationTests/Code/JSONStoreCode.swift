import Foundation
import SwiftData

// snippet: custom store configuration
struct JSONStoreConfiguration: DataStoreConfiguration {
  typealias Store = JSONStore

  var name: String
  var schema: Schema?
  var fileURL: URL
}
// snippet end

// snippet: custom store
/// Keeps models in a file of JSON, which is read and written as a whole.
final class JSONStore: DataStore {
  typealias Configuration = JSONStoreConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: JSONStoreConfiguration
  let schema: Schema
  let identifier: String

  init(_ configuration: JSONStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    // The container's, where the configuration was given none.
    schema = configuration.schema ?? Schema()
    identifier = configuration.fileURL.lastPathComponent
    // A file that cannot be read is refused now.
    _ = try read()
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    // The context filters and sorts what it is given.
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(try read().values))
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var models = try read()
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID().uuidString)
    }
    for snapshot in request.inserted + request.updated {
      let known = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      models[known] = snapshot.copy(persistentIdentifier: known, remappedIdentifiers: remapped)
    }
    for snapshot in request.deleted { models[snapshot.persistentIdentifier] = nil }
    try write(models)
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  private func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
    guard FileManager.default.fileExists(atPath: configuration.fileURL.path) else { return [:] }
    let snapshots = try JSONDecoder().decode([DefaultSnapshot].self, from: Data(contentsOf: configuration.fileURL))
    return Dictionary(snapshots.map { ($0.persistentIdentifier, $0) }, uniquingKeysWith: { $1 })
  }

  /// All of it, or nothing.
  private func write(_ models: [PersistentIdentifier: DefaultSnapshot]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let snapshots = models.values.sorted { $0.persistentIdentifier < $1.persistentIdentifier }
    try encoder.encode(snapshots).write(to: configuration.fileURL, options: .atomic)
  }
}
// snippet end
