import LarderSQLite
import LarderSupport
import Synchronization

/// Where identifiers of one entity belong: the store, by its own identity, and the entity's name.
///
/// One instance stands for each pair in a process, so that comparing identifiers compares pointers.
@usableFromInline
package final class EntityIdentity: Sendable {
  /// The store's identity, or nil for objects that no store knows yet.
  package let store: String?
  package let entity: String
  /// The key of a row whose store names its rows otherwise than by numbers; nil for what stands for the whole entity.
  package let surrogateKey: SurrogateKey?
  /// The whole entity's, where this one stands for one row.
  private let entityLevel: EntityIdentity?
  /// The entity's, whichever row this one stands for.
  package var entityLevelIdentity: EntityIdentity { entityLevel ?? self }
  /// The entity at the top of the hierarchy that this one belongs to, where that is known and another one: rows of a
  /// hierarchy are told apart by their numbers alone.
  private let rootReference = AtomicLazyReference<EntityIdentity>()
  package var root: EntityIdentity {
    if let entityLevel { return entityLevel.root }
    guard let topmost = rootReference.load() else { return self }
    // A migration may have put another one above.
    return topmost.rootReference.load() ?? topmost
  }

  private init(store: String?, entity: String, surrogateKey name: SurrogateKey?) {
    self.store = store
    self.entity = entity
    self.surrogateKey = name
    entityLevel = name.map { _ in .of(store: store, entity: entity) }
  }

  /// Notes that an entity inherits from another. A store says so when it opens.
  ///
  /// - Returns: The entity's identity, which knows that as long as somebody holds it.
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

  /// A program may open any number of stores, so what nobody holds is forgotten.
  private struct CacheEntry {
    weak var identity: EntityIdentity?
    /// Those of no store are as few as there are models, and asked for again and again.
    var retained: EntityIdentity?
  }

  private static let cache = Locked<[CacheKey: CacheEntry]>([:])

  /// The instance for a store and an entity.
  package static func of(store: String?, entity: String) -> EntityIdentity {
    cache.withLock { known in
      let key = CacheKey(store: store, entity: entity)
      if let identity = known[key]?.identity { return identity }
      let identity = EntityIdentity(store: store, entity: entity, surrogateKey: nil)
      known[key] = CacheEntry(identity: identity, retained: store == nil ? identity : nil)
      return identity
    }
  }

  /// The instance for one row of a store that names its rows.
  package static func of(_ name: SurrogateKey, entity: String) -> EntityIdentity {
    let key = CacheKey(store: name.store, entity: entity, row: name.number)
    if let identity = cache.withLock({ $0[key]?.identity }) { return identity }
    // Outside the lock: it asks for the whole entity's.
    let identity = EntityIdentity(store: name.store, entity: entity, surrogateKey: name)
    return cache.withLock { known in
      if let other = known[key]?.identity { return other }
      known[key] = CacheEntry(identity: identity, retained: nil)
      return identity
    }
  }

  deinit {
    let key = CacheKey(store: store, entity: entity, row: surrogateKey?.number ?? 0)
    // Another one may be known by now, and must not go while the lock is held.
    let other = EntityIdentity.cache.withLock { known in
      let other = known[key]?.identity
      if other == nil { known[key] = nil }
      return other
    }
    withExtendedLifetime(other) {}
  }

  /// Whether there is an instance, for tests.
  package static func isCached(store: String, entity: String) -> Bool {
    cache.withLock { $0[CacheKey(store: store, entity: entity)] != nil }
  }

  private static let temporaryKeys = Atomic<Int64>(0)

  /// A key for an object that is not inserted: negative, and unlike any other in this process.
  package static func nextTemporaryKey() -> Int64 { temporaryKeys.subtract(1, ordering: .relaxed).newValue }
}
