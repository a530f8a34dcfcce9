import Foundation

/// A store of one's own: what a container's contexts fetch from and save to in place of an SQLite file.
///
/// A store answers a fetch with snapshots, and takes those of what a save inserts, changes and deletes. Contexts do the rest:
/// objects, relationships, what is pending, undo, and telling each other. A store of a JSON file, whole:
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
/// The guide <doc:CustomStores> has the rest of it.
///
/// A container calls its store from any thread, but never from two at once, and waits for each answer: a store must not use a
/// context of its own container meanwhile.
public protocol DataStore: AnyObject {
  /// What a container is given to make the store.
  associatedtype Configuration: DataStoreConfiguration where Self == Configuration.Store
  /// What the store takes and gives of a model; ``DefaultSnapshot`` unless it has one of its own.
  associatedtype Snapshot: DataStoreSnapshot

  /// Names the store in the identifiers of its models, in every process and for as long as the data lives.
  var identifier: String { get }
  /// The models that it keeps.
  var schema: Schema { get }
  /// What it was made from.
  var configuration: Configuration { get }

  /// Opens the store.
  ///
  /// - Parameters:
  ///   - configuration: With the container's schema, where it had none of its own.
  ///   - migrationPlan: That of the container.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Answers a fetch.
  ///
  /// An answer may have more than was asked for, also models of other kinds, but nothing less: contexts look at it by the
  /// descriptor's predicate, order and limit once more.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` to be asked again without the predicate, and
  ///   ``DataStoreError/preferInMemorySort`` without the order; both leave out the limit, too. Whatever else it throws is what
  ///   the fetch throws.
  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  where T: PersistentModel

  /// Keeps what a context saves: all of it, or nothing.
  ///
  /// - Throws: What the context's `save()` is to throw. Everything is still pending then.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>

  /// How many models match; the default has the context count what ``fetch(_:)`` answers.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel

  /// Which models match; the default has the context look at what ``fetch(_:)`` answers.
  func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel

  /// Removes everything; the default deletes what ``fetch(_:)`` answers for each model.
  func erase() throws

  /// A context begins to use the store; the default does nothing.
  func initializeState(for editingState: EditingState)

  /// A context that used the store has gone; the default does nothing.
  func invalidateState(for editingState: EditingState)

  /// What the store has at hand of some models, without looking for the rest; the default has nothing.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

/// A store that can delete what matches a predicate by itself.
///
/// It is asked to where a save consists of nothing but one `delete(model:where:)`; else the deleted models' snapshots are
/// part of the save.
public protocol DataStoreBatching: DataStore {
  /// Deletes what matches: all of it, or nothing.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}
