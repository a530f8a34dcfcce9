import LarderSQLite
import LarderSupport
import Synchronization

/// The part of an identifier that all rows of an entity share: the identity of the store, and the entity's name.
///
/// There is one instance for each pair in a process, so that comparing identifiers compares pointers.
@usableFromInline
package final class EntityIdentity: Sendable {
  /// The store's identity, or `nil` for objects that belong to no store yet.
  package let store: String?
  package let entity: String
  /// The key of a row in a data store whose keys are not row IDs, or `nil` if the instance stands for the whole entity.
  package let surrogateKey: SurrogateKey?
  /// The identity of the whole entity, if this instance stands for one row.
  private let entityLevel: EntityIdentity?
  /// The identity of the whole entity, also if this instance stands for one row.
  package var entityLevelIdentity: EntityIdentity { entityLevel ?? self }
  /// The entity at the top of the class hierarchy, if it is known and another one. Within a hierarchy, row IDs are unique.
  private let rootReference = AtomicLazyReference<EntityIdentity>()
  package var root: EntityIdentity {
    if let entityLevel { return entityLevel.root }
    guard let topmost = rootReference.load() else { return self }
    // A migration may have added an entity above this one.
    return topmost.rootReference.load() ?? topmost
  }

  private init(store: String?, entity: String, surrogateKey name: SurrogateKey?) {
    self.store = store
    self.entity = entity
    self.surrogateKey = name
    entityLevel = name.map { _ in .of(store: store, entity: entity) }
  }

  /// Registers the root entity of a subclass's entity. A store does this when it opens.
  ///
  /// - Returns: The identity of the entity. The registration exists for as long as the identity is retained.
  package static func registerSubentity(_ entity: String, of root: String, store: String) -> EntityIdentity {
    let identity = EntityIdentity.of(store: store, entity: entity)
    _ = identity.rootReference.storeIfNil(.of(store: store, entity: root))
    return identity
  }

  private struct CacheKey: Hashable {
    let store: String?
    let entity: String
    var row: Int64 = 0
  }

  /// A cached identity. The reference is weak, since a program may open any number of stores.
  private struct CacheEntry {
    weak var identity: EntityIdentity?
    /// A strong reference to an identity without a store. There are only as many as models, and they are used again and again.
    var retained: EntityIdentity?
  }

  private static let cache = Locked<[CacheKey: CacheEntry]>([:])

  /// Returns the instance of a store and an entity.
  package static func of(store: String?, entity: String) -> EntityIdentity {
    cache.withLock { known in
      let key = CacheKey(store: store, entity: entity)
      if let identity = known[key]?.identity { return identity }
      let identity = EntityIdentity(store: store, entity: entity, surrogateKey: nil)
      known[key] = CacheEntry(identity: identity, retained: store == nil ? identity : nil)
      return identity
    }
  }

  /// Returns the instance of one row in a store with surrogate keys.
  package static func of(_ name: SurrogateKey, entity: String) -> EntityIdentity {
    let key = CacheKey(store: name.store, entity: entity, row: name.number)
    if let identity = cache.withLock({ $0[key]?.identity }) { return identity }
    // Outside of the lock: the initializer looks up the identity of the whole entity.
    let identity = EntityIdentity(store: name.store, entity: entity, surrogateKey: name)
    return cache.withLock { known in
      if let other = known[key]?.identity { return other }
      known[key] = CacheEntry(identity: identity, retained: nil)
      return identity
    }
  }

  deinit {
    let key = CacheKey(store: store, entity: entity, row: surrogateKey?.number ?? 0)
    // Another instance may have been cached in the meantime. It must not be released while the lock is held.
    let other = EntityIdentity.cache.withLock { known in
      let other = known[key]?.identity
      if other == nil { known[key] = nil }
      return other
    }
    withExtendedLifetime(other) {}
  }

  /// Returns whether there is an instance, for tests.
  package static func isCached(store: String, entity: String) -> Bool {
    cache.withLock { $0[CacheKey(store: store, entity: entity)] != nil }
  }

  private static let temporaryKeys = Atomic<Int64>(0)

  /// Returns a key for an object that is not inserted: negative, and unique in this process.
  package static func nextTemporaryKey() -> Int64 { temporaryKeys.subtract(1, ordering: .relaxed).newValue }
}
