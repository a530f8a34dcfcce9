import Foundation
import LarderSQLite

// The history cursor of each store of a container. The transaction numbers of one store have no meaning in another.

extension ContainerStore {
  /// The data store that provides the history, or `nil` if the history is that of the cached rows. The rows are either the
  /// store itself, or the cache of a data store without a default history; their history then has the saves of this container.
  fileprivate var historyStore: DataStoreBackend? { store.dataStoreBackend.flatMap { $0.hasDefaultHistory ? $0 : nil } }

  /// Returns the token of the newest transaction.
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

  /// Returns the token after which an observer starts to count.
  ///
  /// - Parameter tokens: The tokens that the observer has read, or `nil` to start at the end. A store without a token starts at
  ///   its end. If there are no tokens at all, the observer has read nothing.
  func historyCursor(
    after tokens: [String: any HistoryToken]?, _ container: ContainerCore
  ) throws -> DefaultHistoryToken {
    let end = try historyEnd(container)
    guard let tokens else { return end }
    if tokens.isEmpty { return DefaultHistoryToken(end.numbers.mapValues { _ in 0 }) }
    // A data store's token does not apply to the cached rows in front of it.
    if store.dataStoreBackend != nil, historyStore == nil { return end }
    var given: [String: Int64] = [:]
    for token in tokens.values { given.merge((token as? DefaultHistoryToken)?.numbers ?? [:]) { max($0, $1) } }
    return DefaultHistoryToken(end.numbers.merging(given.filter { end.numbers[$0.key] != nil }) { $1 })
  }
}

extension _ContextCore {
  /// Returns the transactions of one store after the specified token.
  func historyTransactions(ofStore place: Int, after token: DefaultHistoryToken) throws -> [DefaultHistoryTransaction] {
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    guard let store = container.stores[place].historyStore else {
      return try fetchHistory(descriptor, in: [sessions[place]])
    }
    let found = try store.exclusively { try HistoryQueryScope().perform { try store.fetchHistory(descriptor) } }
    return found ?? []
  }
}
