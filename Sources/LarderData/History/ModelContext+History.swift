import Foundation
import LarderSQLite
import LarderSupport

extension ModelContext {
  /// What was saved to the container's stores, transaction by transaction: by contexts of this process and of others.
  ///
  /// ```swift
  /// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
  /// if let seen { descriptor.predicate = #Predicate { $0.token > seen } }
  /// let transactions = try context.fetchHistory(descriptor)
  /// ```
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where transactions that follow the predicate's token are gone. The
  ///   predicate says so by `$0.token > token`, or `>=`, alone or joined to others by `&&`; numbers of transactions, and
  ///   conditions in other places, ask for what there is;
  ///   ``SwiftDataError/invalidTransactionFetchRequest`` for transactions of a type that the stores do not have;
  ///   ``StoreError``.
  public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T] where T: HistoryTransaction {
    guard let found = try core.fetchHistory(descriptor) else { throw core.unknownTransactionsError(T.self) }
    return found
  }

  /// Forgets transactions. Whoever has not read up to the last of them is told so when he asks for what follows his token.
  ///
  /// All of the container's stores are asked for what is to go before any of them forgets it. Those of other kinds than SQLite
  /// forget first, one after the other: where one refuses, SQLite's have lost nothing. SQLite's forget 512 transactions at a
  /// time, so what an error or a power cut ends is done in part.
  ///
  /// - Throws: As ``fetchHistory(_:)``; ``SwiftDataError/invalidTransactionFetchRequest`` for `$0.token == token` where the
  ///   token is of several of the container's stores: it is that of a transaction in each. Say `<=`.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws where T: HistoryTransaction {
    guard try core.deleteHistory(descriptor) else { throw core.unknownTransactionsError(T.self) }
  }
}

extension _ContextCore {
  /// The transactions of a type; nil where no store has such.
  fileprivate func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    guard hasStorageBackends else { return try fetchSQLiteHistory(descriptor) }
    if sessions.count == 1, let backing = sessions[0].store.dataStoreBackend {
      return try backing.exclusively { try backing.fetchHistory(descriptor) }
    }
    return try HistorySearch(descriptor, in: self).transactions()
  }

  /// What SQLite's stores have of a type; nil where they have no such.
  func fetchSQLiteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return nil }
    return try fetchHistory(own, in: sessions.filter { $0.store.backend == nil }) as? [T]
  }

  fileprivate func unknownTransactionsError(_ type: any HistoryTransaction.Type) -> any Error {
    // No store of any kind has a history.
    if !hasSQLiteStores, sessions.allSatisfy({ $0.store.dataStoreBackend?.hasHistory != true }) {
      return DataStoreError.unsupportedFeature
    }
    return SwiftDataError.invalidTransactionFetchRequest.explained(
      "The container's stores have no transactions of type \(type). Ask for "
        + "\(hasSQLiteStores ? "DefaultHistoryTransaction" : "those of the data store's historyType").")
  }

  /// - Parameters:
  ///   - sessions: Of which stores; rows in memory before one of another kind have a history, too.
  ///   - readable: Whether the changes of what is found must be readable.
  ///   - looked: Up to which transaction of each store nothing is left to be found.
  func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, in sessions: [StoreSession], readable: Bool = true,
    after looked: [String: Int64] = [:]
  ) throws -> [DefaultHistoryTransaction] {
    let question = HistoryQueryScope.current
    let readable = readable && question?.requiresReadableChanges ?? true
    let bounds = HistoryBounds(descriptor.predicate)
    let limit = descriptor.limit
    // What comes first in some other order is known at the end only.
    let isByNumber = descriptor.sortBy.isEmpty || descriptor.isSortedByNumber
    let storeLimit = isByNumber && (descriptor.sortBy.isEmpty || sessions.count == 1) ? limit : nil
    let descending = storeLimit != nil && descriptor.sortBy.first?.order == .reverse
    var found: [DefaultHistoryTransaction] = []
    var numbers = bounds.after?.numbers ?? [:]
    // One that is asked together with others need not be one of those that the token is of.
    if question == nil { try bounds.after?.requireStore(in: Set(sessions.map(\.store.identifier))) }
    for session in sessions {
      // The last commit, also of another process: a snapshot may be some milliseconds older.
      session.releaseSnapshot()
      found += try StoreError.mapErrors(session.store.errorURL, "reading the history") {
        try session.read { connection in
          let reader = HistoryReader(store: session.store, container: container, connection: connection)
          if numbers[session.store.identifier] == nil {
            numbers[session.store.identifier] = try reader.lastDeletedNumber()
          }
          if let question {
            question.recordExtent(
              of: session.store.identifier, start: try reader.lastDeletedNumber(), end: try reader.lastNumber())
          }
          return try reader.transactions(
            bounds.bounds(after: looked[session.store.identifier] ?? 0), descriptor.predicate, limit: storeLimit,
            descending: descending, readable: readable)
        }
      }
    }
    if sessions.count > 1 {
      found = HistoryMerge.merged(found) { $0 }
      HistoryMerge.assignTokens(to: &found, after: numbers)
    }
    if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
    return limit.map { Array(found.prefix($0)) } ?? found
  }
}

extension HistoryDescriptor<DefaultHistoryTransaction> {
  /// Whether the order is that of the numbers, or the reverse.
  fileprivate var isSortedByNumber: Bool {
    guard sortBy.count == 1, let keyPath = sortBy[0].keyPath else { return false }
    return HistoryBounds.numberKeyPaths.contains(keyPath)
  }
}
