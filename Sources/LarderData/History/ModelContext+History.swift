import Foundation
import LarderSQLite

extension ModelContext {
  /// What was saved to the container's stores, transaction by transaction: by contexts of this process and of others.
  ///
  /// ```swift
  /// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
  /// if let seen { descriptor.predicate = #Predicate { $0.token > seen } }
  /// let transactions = try context.fetchHistory(descriptor)
  /// ```
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where transactions that follow the predicate's token are gone;
  ///   ``SwiftDataError/invalidTransactionFetchRequest`` for transactions of a type that the stores do not have;
  ///   ``StoreError``.
  public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T] where T: HistoryTransaction {
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction>,
      let found = try core.fetchHistory(own) as? [T]
    else { throw ModelContext.unknownTransactions(T.self) }
    return found
  }

  /// Forgets transactions. Whoever has not read up to the last of them is told so when he asks for what follows his token.
  ///
  /// - Throws: As ``fetchHistory(_:)``.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws where T: HistoryTransaction {
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      throw ModelContext.unknownTransactions(T.self)
    }
    try core.deleteHistory(own)
  }

  private static func unknownTransactions(_ type: any HistoryTransaction.Type) -> SwiftDataError {
    .invalidTransactionFetchRequest.explained(
      "The container's stores have no transactions of type \(type). Ask for DefaultHistoryTransaction.")
  }
}

extension ContextCore {
  fileprivate func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    let bounds = HistoryBounds(descriptor.predicate)
    let limit = descriptor.fetchLimit == 0 ? nil : Int(clamping: descriptor.fetchLimit)
    // What comes first in some other order is known at the end only.
    let storeLimit = descriptor.sortBy.isEmpty ? limit : nil
    var found: [DefaultHistoryTransaction] = []
    for session in sessions {
      found += try StoreError.wrapping(session.store.errorURL, "reading the history") {
        try session.read { connection in
          try HistoryReader(store: session.store, container: container, connection: connection)
            .transactions(bounds, descriptor.predicate, limit: storeLimit)
        }
      }
    }
    if sessions.count > 1 { found = merged(found, after: bounds.after) }
    if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
    return limit.map { Array(found.prefix($0)) } ?? found
  }

  /// Transactions of several stores, in the order of their times and in each store in that of their numbers. Each token
  /// stands for all that come before it.
  private func merged(
    _ transactions: [DefaultHistoryTransaction], after: DefaultHistoryToken?
  ) -> [DefaultHistoryTransaction] {
    var queues = Dictionary(grouping: transactions, by: \.storeIdentifier).mapValues { $0[...] }
    var numbers = after?.numbers ?? [:]
    var result: [DefaultHistoryTransaction] = []
    while let next = queues.compactMapValues(\.first).min(by: {
      ($0.value.timestamp, $0.key) < ($1.value.timestamp, $1.key)
    }) {
      var transaction = next.value
      queues[next.key]?.removeFirst()
      numbers[next.key] = transaction.transactionIdentifier
      transaction.token = DefaultHistoryToken(numbers)
      result.append(transaction)
    }
    return result
  }

  /// How many transactions are deleted at once.
  private static let deletionBatch = 4_096

  fileprivate func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    let found = Dictionary(grouping: try fetchHistory(descriptor), by: \.storeIdentifier)
    for session in sessions {
      let numbers = (found[session.store.identifier] ?? []).map(\.transactionIdentifier).sorted()
      for start in stride(from: 0, to: numbers.count, by: ContextCore.deletionBatch) {
        let batch = numbers[start..<min(start + ContextCore.deletionBatch, numbers.count)]
        try delete(Array(batch), in: session)
      }
    }
  }

  private func delete(_ numbers: [Int64], in session: StoreSession) throws {
    try StoreError.wrapping(session.store.errorURL, "deleting history") {
      try session.write { connection in
        try connection.withStatement(for: "DELETE FROM \(HistoryTable.name) WHERE number = ?1") { statement in
          for number in numbers {
            statement.bind(1, number)
            try statement.run()
          }
        }
        try Bookkeeping.setHistoryDeleted(numbers.last ?? 0, on: connection)
      }
    }
  }
}
