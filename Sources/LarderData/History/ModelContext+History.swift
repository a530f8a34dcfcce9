import Foundation
import LarderSQLite
import LarderSupport

extension ModelContext {
  /// Returns the transactions saved to the container's stores, by contexts of this process and of other processes.
  ///
  /// ```swift
  /// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
  /// if let seen { descriptor.predicate = #Predicate { $0.token > seen } }
  /// let transactions = try context.fetchHistory(descriptor)
  /// ```
  ///
  /// - Parameter descriptor: The transactions to fetch, and their order.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if transactions after the predicate's token were deleted. Only a condition
  ///   `$0.token > token` or `$0.token >= token`, alone or joined to others by `&&`, requires these transactions. Conditions
  ///   on transaction numbers, and conditions elsewhere in the predicate, match the transactions that exist.
  ///   ``SwiftDataError/invalidTransactionFetchRequest`` if the stores have no transactions of this type.
  ///   ``DataStoreError/unsupportedFeature`` if no store has a history. ``StoreError``.
  public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T] where T: HistoryTransaction {
    guard let found = try core.fetchHistory(descriptor) else { throw core.unknownTransactionsError(T.self) }
    return found
  }

  /// Deletes transactions from the history. Fetching the history after a token from before a deleted transaction then throws
  /// ``SwiftDataError/historyTokenExpired``.
  ///
  /// ```swift
  /// try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= seen }))
  /// ```
  ///
  /// Every store of the container selects its transactions before any store deletes them. Custom data stores delete first, one
  /// after the other: if one of them throws, the SQLite stores have deleted nothing. SQLite stores delete 512 transactions at a
  /// time, so after an error or a power failure a part of them may be deleted.
  ///
  /// - Parameter descriptor: The transactions to delete.
  /// - Throws: The errors of ``fetchHistory(_:)``; ``SwiftDataError/invalidTransactionFetchRequest`` for `$0.token == token` if
  ///   the token is of several of the container's stores, since it then stands for a transaction in each. Use `<=` instead.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws where T: HistoryTransaction {
    guard try core.deleteHistory(descriptor) else { throw core.unknownTransactionsError(T.self) }
  }
}

extension _ContextCore {
  /// Returns the transactions of a type, or `nil` if no store has such transactions.
  fileprivate func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    guard hasStorageBackends else { return try fetchSQLiteHistory(descriptor) }
    if sessions.count == 1, let backing = sessions[0].store.dataStoreBackend {
      return try backing.exclusively { try backing.fetchHistory(descriptor) }
    }
    return try HistorySearch(descriptor, in: self).transactions()
  }

  /// Returns the SQLite stores' transactions of a type, or `nil` if they have no such transactions.
  func fetchSQLiteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return nil }
    return try fetchHistory(own, in: sessions.filter { $0.store.backend == nil }) as? [T]
  }

  fileprivate func unknownTransactionsError(_ type: any HistoryTransaction.Type) -> any Error {
    // No store has a history.
    if !hasSQLiteStores, sessions.allSatisfy({ $0.store.dataStoreBackend?.hasHistory != true }) {
      return DataStoreError.unsupportedFeature
    }
    return SwiftDataError.invalidTransactionFetchRequest.explained(
      "The container's stores have no transactions of type \(type). Ask for "
        + "\(hasSQLiteStores ? "DefaultHistoryTransaction" : "those of the data store's historyType").")
  }

  /// Returns the transactions of the specified stores.
  ///
  /// - Parameters:
  ///   - sessions: The stores. The cached rows in front of a custom data store have a history, too.
  ///   - readable: Whether the changes of the transactions must be readable.
  ///   - looked: The last transaction of each store that was searched already.
  func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, in sessions: [StoreSession], readable: Bool = true,
    after looked: [String: Int64] = [:]
  ) throws -> [DefaultHistoryTransaction] {
    let question = HistoryQueryScope.current
    let readable = readable && question?.requiresReadableChanges ?? true
    let bounds = HistoryBounds(descriptor.predicate)
    let limit = descriptor.limit
    // In any other order, the first transactions are known only after all are read.
    let isByNumber = descriptor.sortBy.isEmpty || descriptor.isSortedByNumber
    let storeLimit = isByNumber && (descriptor.sortBy.isEmpty || sessions.count == 1) ? limit : nil
    let descending = storeLimit != nil && descriptor.sortBy.first?.order == .reverse
    var found: [DefaultHistoryTransaction] = []
    var numbers = bounds.after?.numbers ?? [:]
    // In a query of several stores, a store need not be one of the token's.
    if question == nil { try bounds.after?.requireStore(in: Set(sessions.map(\.store.identifier))) }
    for session in sessions {
      // Reads up to the last commit, also of another process: a snapshot may be some milliseconds older.
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
  /// Whether the order is that of the transaction numbers, or the reverse.
  fileprivate var isSortedByNumber: Bool {
    guard sortBy.count == 1, let keyPath = sortBy[0].keyPath else { return false }
    return HistoryBounds.numberKeyPaths.contains(keyPath)
  }
}
