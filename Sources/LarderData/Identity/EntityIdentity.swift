import LarderSQLite
import Synchronization

/// Where identifiers of one entity belong: the store, by its own identity, and the entity's name.
///
/// One instance stands for each pair in a process, so that comparing identifiers compares pointers.
package final class EntityIdentity: Sendable {
  /// The store's identity, or nil for objects that no store knows yet.
  package let store: String?
  package let entity: String

  private init(store: String?, entity: String) {
    self.store = store
    self.entity = entity
  }

  private struct Key: Hashable {
    let store: String?
    let entity: String
  }

  private static let known = Locked<[Key: EntityIdentity]>([:])

  /// The instance for a store and an entity. There are as few as there are models and stores, so none is forgotten.
  package static func of(store: String?, entity: String) -> EntityIdentity {
    known.withLock { known in
      let key = Key(store: store, entity: entity)
      if let identity = known[key] { return identity }
      let identity = EntityIdentity(store: store, entity: entity)
      known[key] = identity
      return identity
    }
  }

  private static let temporaryKeys = Atomic<Int64>(0)

  /// A key for an object that is not inserted: negative, and unlike any other in this process.
  package static func nextTemporaryKey() -> Int64 { temporaryKeys.subtract(1, ordering: .relaxed).newValue }
}
