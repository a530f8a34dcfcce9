import Foundation
import LarderSQLite

// What somebody follows of a container's histories, store by store: the numbers of one mean nothing to another.

extension ContainerStore {
  /// The data store whose own history it is. Else it is that of the rows: they are the store, or are before one that has no
  /// history that could be followed, and theirs tells what was saved by this container.
  fileprivate var historyStore: DataStoreBackend? { store.dataStoreBackend.flatMap { $0.hasDefaultHistory ? $0 : nil } }

  /// How far it is by now.
  func historyEnd(_ container: ContainerCore) throws -> DefaultHistoryToken {
    if let historyStore {
      let token = try historyStore.exclusively { try historyStore.historyToken() }
      return token ?? DefaultHistoryToken([:])
    }
    let number = try StoreError.mapErrors(store.errorURL, "reading the history") {
      try store.database.read { try HistoryReader(store: store, container: container, connection: $0).lastNumber() }
    }
    return DefaultHistoryToken([store.identifier: number])
  }

  /// From where somebody goes on.
  ///
  /// - Parameter tokens: What he has read; nil for what there is. A store of which there is none in it is one that he has
  ///   read up to now, and where there is none at all he has read nothing.
  func historyCursor(
    after tokens: [String: any HistoryToken]?, _ container: ContainerCore
  ) throws -> DefaultHistoryToken {
    let end = try historyEnd(container)
    guard let tokens else { return end }
    if tokens.isEmpty { return DefaultHistoryToken(end.numbers.mapValues { _ in 0 }) }
    // A token of a store is none of the rows before it.
    if store.dataStoreBackend != nil, historyStore == nil { return end }
    var given: [String: Int64] = [:]
    for token in tokens.values { given.merge((token as? DefaultHistoryToken)?.numbers ?? [:]) { max($0, $1) } }
    return DefaultHistoryToken(end.numbers.merging(given.filter { end.numbers[$0.key] != nil }) { $1 })
  }
}

extension _ContextCore {
  /// What follows a token in one of the stores.
  func historyTransactions(ofStore place: Int, after token: DefaultHistoryToken) throws -> [DefaultHistoryTransaction] {
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    guard let store = container.stores[place].historyStore else {
      return try fetchHistory(descriptor, in: [sessions[place]])
    }
    let found = try store.exclusively { try HistoryQueryScope().perform { try store.fetchHistory(descriptor) } }
    return found ?? []
  }
}
