import Foundation

/// A custom store that a container's contexts fetch from and save to, instead of an SQLite file.
///
/// A data store returns snapshots for a fetch, and receives the snapshots of a save's inserted, changed and deleted models. The
/// contexts do the rest: objects, relationships, pending changes, undo, and notifications of each other. Here is the start of a
/// store in a JSON file:
///
/// ```swift
/// final class JSONStore: DataStore {
///   let configuration: JSONStoreConfiguration
///   let schema: Schema
///   var identifier: String { configuration.fileURL.path }
///
///   init(_ configuration: JSONStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
///     self.configuration = configuration
///     schema = configuration.schema ?? Schema()
///   }
///
///   func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
///     if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
///     if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
///     return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(try read().values))
///   }
///   …
/// }
/// ```
///
/// The guide <doc:CustomStores> contains the complete example.
///
/// A container calls its data store from any thread, but never from two threads at once, and waits for each call to return. So
/// a data store must not use a context of its own container during a call.
public protocol DataStore: AnyObject {
  /// The configuration that a container creates the store from.
  associatedtype Configuration: DataStoreConfiguration where Self == Configuration.Store
  /// The type of the snapshots, which is ``DefaultSnapshot`` unless the store defines its own.
  associatedtype Snapshot: DataStoreSnapshot

  /// The name of the store in its models' identifiers. It is the same in every process, for as long as the data exists.
  var identifier: String { get }
  /// The models that the store contains.
  var schema: Schema { get }
  /// The configuration that the store was created from.
  var configuration: Configuration { get }

  /// Creates the store.
  ///
  /// - Parameters:
  ///   - configuration: The configuration. It has the container's schema if it had no schema of its own.
  ///   - migrationPlan: The container's migration plan.
  /// - Throws: Any error, which `ModelContainer`'s initializer throws again.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Returns the snapshots of the models that match a fetch request.
  ///
  /// The result may contain more models than requested, including models of other types, but not fewer: the context applies the
  /// descriptor's predicate, order and limit again.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` to receive the request again without the predicate, or
  ///   ``DataStoreError/preferInMemorySort`` to receive it without the sort descriptors; both requests omit the limit, too. The
  ///   context's fetch throws any other error.
  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  where T: PersistentModel

  /// Saves the changes of a context: all of them, or none.
  ///
  /// - Throws: Any error, which the context's `save()` throws again. All changes are still pending then.
  /// - Returns: The permanent identifiers of inserted models, and the models whose values the store has changed.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Returns the number of models that match a fetch request.
  ///
  /// By default, the context counts the result of ``fetch(_:)``.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter``, ``DataStoreError/preferInMemorySort`` or
  ///   ``DataStoreError/unsupportedFeature`` to let the context count. The context throws any other error.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel

  /// Returns the identifiers of the models that match a fetch request.
  ///
  /// By default, the context evaluates the result of ``fetch(_:)``.
  ///
  /// - Throws: The same errors as ``fetchCount(_:)``.
  func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel

  /// Deletes all models. By default, deletes the models that ``fetch(_:)`` returns for each entity.
  func erase() throws

  /// Notifies the store that a context starts to use it. The default implementation does nothing.
  func initializeState(for editingState: EditingState)

  /// Notifies the store that a context no longer uses it. The default implementation does nothing.
  func invalidateState(for editingState: EditingState)

  /// Returns the snapshots of models that the store has cached, without fetching the others. By default, returns none.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

/// A data store that can delete the models that match a predicate by itself.
///
/// The context requests such a deletion if a save consists of a single `delete(model:where:)`. Otherwise, the snapshots of the
/// deleted models are part of the save.
public protocol DataStoreBatching: DataStore {
  /// Deletes the models that match the predicate: all of them, or none.
  ///
  /// - Throws: Any error, which the context's `save()` throws again.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}
