package import LarderSQLite

/// What follows a save: inside its transaction, and after its commit.
package final class SaveHooks: Sendable {
  package typealias Hook = @Sendable (ChangeSet, Connection) throws -> Void
  package typealias Observer = @Sendable (ChangeSet) -> Void

  private struct Lists {
    var nextKey = 0
    var hooks: [(key: Int, run: Hook)] = []
    var observers: [(key: Int, run: Observer)] = []
  }

  private let lists = Locked(Lists())

  package init() {}

  /// Runs inside every save's transaction; throwing undoes the save. Returns a key for ``remove(_:)``.
  package func add(hook: @escaping Hook) -> Int {
    lists.withLock { lists in
      lists.nextKey += 1
      lists.hooks.append((lists.nextKey, hook))
      return lists.nextKey
    }
  }

  /// Runs after every commit that changed something, on the thread that saved.
  package func add(observer: @escaping Observer) -> Int {
    lists.withLock { lists in
      lists.nextKey += 1
      lists.observers.append((lists.nextKey, observer))
      return lists.nextKey
    }
  }

  package func remove(_ key: Int) {
    lists.withLock { lists in
      lists.hooks.removeAll { $0.key == key }
      lists.observers.removeAll { $0.key == key }
    }
  }

  func run(_ changes: ChangeSet, _ connection: Connection) throws {
    for hook in lists.withLock({ $0.hooks }) { try hook.run(changes, connection) }
  }

  func publish(_ changes: ChangeSet) {
    for observer in lists.withLock({ $0.observers }) { observer.run(changes) }
  }
}

extension SQLiteStore {
  func runSaveHooks(_ changes: ChangeSet, _ connection: Connection) throws { try hooks.run(changes, connection) }

  func publish(_ changes: ChangeSet) {
    if !changes.isEmpty { hooks.publish(changes) }
  }
}
