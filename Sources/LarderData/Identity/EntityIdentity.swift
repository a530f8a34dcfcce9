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
  package let name: KeyName?
  /// The whole entity's, where this one stands for one row.
  private let whole: EntityIdentity?
  /// The entity's, whichever row this one stands for.
  package var ofEntity: EntityIdentity { whole ?? self }
  /// The entity at the top of the hierarchy that this one belongs to, where that is known and another one: rows of a
  /// hierarchy are told apart by their numbers alone.
  private let topmost = AtomicLazyReference<EntityIdentity>()
  package var root: EntityIdentity {
    if let whole { return whole.root }
    guard let topmost = topmost.load() else { return self }
    // A migration may have put another one above.
    return topmost.topmost.load() ?? topmost
  }

  private init(store: String?, entity: String, name: KeyName?) {
    self.store = store
    self.entity = entity
    self.name = name
    whole = name.map { _ in .of(store: store, entity: entity) }
  }

  /// Notes that an entity inherits from another. A store says so when it opens.
  ///
  /// - Returns: The entity's identity, which knows that as long as somebody holds it.
  package static func relate(_ entity: String, to root: String, store: String) -> EntityIdentity {
    let identity = EntityIdentity.of(store: store, entity: entity)
    _ = identity.topmost.storeIfNil(.of(store: store, entity: root))
    return identity
  }

  private struct Key: Hashable {
    let store: String?
    let entity: String
    var row: Int64 = 0
  }

  /// A program may open any number of stores, so what nobody holds is forgotten.
  private struct Known {
    weak var identity: EntityIdentity?
    /// Those of no store are as few as there are models, and asked for again and again.
    var kept: EntityIdentity?
  }

  private static let known = Locked<[Key: Known]>([:])

  /// The instance for a store and an entity.
  package static func of(store: String?, entity: String) -> EntityIdentity {
    known.withLock { known in
      let key = Key(store: store, entity: entity)
      if let identity = known[key]?.identity { return identity }
      let identity = EntityIdentity(store: store, entity: entity, name: nil)
      known[key] = Known(identity: identity, kept: store == nil ? identity : nil)
      return identity
    }
  }

  /// The instance for one row of a store that names its rows.
  package static func of(_ name: KeyName, entity: String) -> EntityIdentity {
    let key = Key(store: name.store, entity: entity, row: name.number)
    if let identity = known.withLock({ $0[key]?.identity }) { return identity }
    // Outside the lock: it asks for the whole entity's.
    let identity = EntityIdentity(store: name.store, entity: entity, name: name)
    return known.withLock { known in
      if let other = known[key]?.identity { return other }
      known[key] = Known(identity: identity, kept: nil)
      return identity
    }
  }

  deinit {
    let key = Key(store: store, entity: entity, row: name?.number ?? 0)
    // Another one may be known by now, and must not go while the lock is held.
    let other = EntityIdentity.known.withLock { known in
      let other = known[key]?.identity
      if other == nil { known[key] = nil }
      return other
    }
    withExtendedLifetime(other) {}
  }

  /// Whether there is an instance, for tests.
  package static func isKnown(store: String, entity: String) -> Bool {
    known.withLock { $0[Key(store: store, entity: entity)] != nil }
  }

  private static let temporaryKeys = Atomic<Int64>(0)

  /// A key for an object that is not inserted: negative, and unlike any other in this process.
  package static func nextTemporaryKey() -> Int64 { temporaryKeys.subtract(1, ordering: .relaxed).newValue }
}
