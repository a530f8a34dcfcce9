import Foundation
import LarderSQLite

// What somebody follows of a container's histories, store by store: the numbers of one mean nothing to another.

extension ContainerStore {
  /// The data store whose own history it is. Else it is that of the rows: they are the store, or are before one that has no
  /// history that could be followed, and theirs tells what was saved by this container.
  fileprivate var followed: StoreBacking? { store.backing.flatMap { $0.hasDefaultHistory ? $0 : nil } }

  /// How far it is by now.
  func followedEnd(_ container: ContainerCore) throws -> DefaultHistoryToken {
    if let followed {
      let token = try followed.exclusively { try followed.historyToken() }
      return token ?? DefaultHistoryToken([:])
    }
    let number = try StoreError.wrapping(store.errorURL, "reading the history") {
      try store.database.read { try HistoryReader(store: store, container: container, connection: $0).end() }
    }
    return DefaultHistoryToken([store.identifier: number])
  }

  /// From where somebody goes on.
  ///
  /// - Parameter tokens: What he has read; nil for what there is. A store of which there is none in it is one that he has
  ///   read up to now, and where there is none at all he has read nothing.
  func followedPlace(
    after tokens: [String: any HistoryToken]?, _ container: ContainerCore
  ) throws -> DefaultHistoryToken {
    let end = try followedEnd(container)
    guard let tokens else { return end }
    if tokens.isEmpty { return DefaultHistoryToken(end.numbers.mapValues { _ in 0 }) }
    // A token of a store is none of the rows before it.
    if store.backing != nil, followed == nil { return end }
    var given: [String: Int64] = [:]
    for token in tokens.values { given.merge((token as? DefaultHistoryToken)?.numbers ?? [:]) { max($0, $1) } }
    return DefaultHistoryToken(end.numbers.merging(given.filter { end.numbers[$0.key] != nil }) { $1 })
  }
}

extension ContextCore {
  /// What follows a token in one of the stores.
  func followed(_ place: Int, after token: DefaultHistoryToken) throws -> [DefaultHistoryTransaction] {
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    guard let store = container.stores[place].followed else {
      return try fetchHistory(descriptor, in: [sessions[place]])
    }
    let found = try store.exclusively { try HistoryQuestion().ask { try store.fetchHistory(descriptor) } }
    return found ?? []
  }
}
