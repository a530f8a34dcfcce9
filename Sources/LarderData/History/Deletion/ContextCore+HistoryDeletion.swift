import Foundation
import LarderSQLite
import LarderSupport

extension _ContextCore {
  /// Deletes the transactions that match a descriptor.
  ///
  /// - Returns: Whether any store has transactions of this type.
  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
    if hasStorageBackends {
      if sessions.count == 1, let backing = sessions[0].store.dataStoreBackend {
        return try backing.exclusively { try backing.deleteHistory(descriptor) }
      }
      return try HistorySearch(descriptor, in: self, readable: false).delete()
    }
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return false }
    try HistoryBounds(own.predicate).requireUnambiguousTokens(in: Set(sessions.map(\.store.identifier)))
    try deleteTransactions(own)
    return true
  }

  /// The number of transactions that are deleted at a time, and held in memory.
  private static let historyDeletionBatchSize = 512

  /// Finds the matching transactions in the SQLite stores, and deletes them.
  func deleteTransactions(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    let sessions = sessions.filter { $0.store.backend == nil }
    var part = descriptor
    let isInParts = descriptor.isDeletedInBatches
    if isInParts {
      try requireWritable(descriptor)
      part.fetchLimit = UInt64(_ContextCore.historyDeletionBatchSize)
    }
    var looked: [String: Int64] = [:]
    while true {
      let found = try fetchHistory(part, in: sessions, readable: false, after: looked)
      try requireWritable(found)
      try deleteTransactions(found)
      for transaction in found { looked[transaction.storeIdentifier] = transaction.transactionIdentifier }
      if !isInParts || found.count < _ContextCore.historyDeletionBatchSize { return }
    }
  }

  /// Checks that no matching transaction is in a read-only store.
  ///
  /// - Throws: ``StoreError`` if one is.
  func requireWritable(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    var first = descriptor
    first.fetchLimit = 1
    for session in sessions where session.store.backend == nil && session.store.isReadOnly {
      try requireWritable(try fetchHistory(first, in: [session], readable: false))
    }
  }

  /// Checks that none of the transactions is in a read-only store.
  ///
  /// - Throws: ``StoreError`` if one is.
  func requireWritable(_ transactions: [DefaultHistoryTransaction]) throws {
    let concerned = Set(transactions.map(\.storeIdentifier))
    for store in sessions.map(\.store) where store.isReadOnly && concerned.contains(store.identifier) {
      throw StoreError(
        .readOnly, store.errorURL,
        "\(store.errorURL?.path ?? "The store in memory") was opened with allowsSave: false, and its history stays. Open it for "
          + "saving, or name transactions of other stores. Nothing was deleted.")
    }
  }

  /// Deletes transactions of the SQLite stores.
  func deleteTransactions(_ transactions: [DefaultHistoryTransaction]) throws {
    let found = Dictionary(grouping: transactions, by: \.storeIdentifier)
    for session in sessions {
      let numbers = (found[session.store.identifier] ?? []).map(\.transactionIdentifier).inOrder()
      for start in stride(from: 0, to: numbers.count, by: _ContextCore.historyDeletionBatchSize) {
        let batch = numbers[start..<min(start + _ContextCore.historyDeletionBatchSize, numbers.count)]
        try deleteHistoryRows(Array(batch), in: session)
      }
    }
  }

  private func deleteHistoryRows(_ numbers: [Int64], in session: StoreSession) throws {
    try StoreError.mapErrors(session.store.errorURL, "deleting history") {
      try session.write { connection in
        try connection.withStatement(for: "DELETE FROM \(HistoryTable.name) WHERE number = ?1") { statement in
          for number in numbers {
            statement.bind(1, number)
            try statement.run()
          }
        }
        try StoreMetadata.setLastDeletedTransaction(numbers.last ?? 0, on: connection)
        try StoreMetadata.countUnrecordedCommit(on: connection)
      }
    }
  }
}

extension HistoryDescriptor {
  /// Whether the transactions to delete are found batch by batch. All transactions after a token must exist, so they are found
  /// before any is deleted; an order or a limit applies to the whole.
  var isDeletedInBatches: Bool {
    guard sortBy.isEmpty, fetchLimit == 0 else { return false }
    return (self as? HistoryDescriptor<DefaultHistoryTransaction>).map { HistoryBounds($0.predicate).after == nil }
      ?? true
  }
}
