import Foundation
import LarderSupport

/// A history query of a container with several stores, including data stores. All stores return their transactions before any
/// is deleted: if one store throws, no transaction is deleted in another.
struct HistorySearch<Transaction: HistoryTransaction> {
  /// The transactions of one data store, or those of all SQLite stores together.
  private struct StoreResult {
    /// The data store, or `nil` for the SQLite stores.
    let backend: DataStoreBackend?
    let transactions: [Transaction]
  }

  private struct Match {
    /// The index of the result that contains the transaction.
    let resultIndex: Int
    var transaction: Transaction
  }

  private let core: _ContextCore
  private let descriptor: HistoryDescriptor<Transaction>
  private let scope: HistoryQueryScope
  private let results: [StoreResult]

  /// - Parameter readable: Whether the changes of the transactions must be readable.
  init(_ descriptor: HistoryDescriptor<Transaction>, in core: _ContextCore, readable: Bool = true) throws {
    let question = HistoryQueryScope(requiresReadableChanges: readable)
    var asked = descriptor
    // In any other order, the first transactions of all stores are known only after all are read.
    if !asked.sortBy.isEmpty {
      asked.sortBy = []
      asked.fetchLimit = 0
    }
    // One transaction shows whether there are any: a deletion in batches searches for them again.
    if !readable, descriptor.isDeletedInBatches { asked.fetchLimit = 1 }
    let request = asked
    var parts: [StoreResult] = []
    for session in core.sessions {
      guard let backing = session.store.dataStoreBackend else { continue }
      let found = try backing.exclusively { try question.perform { try backing.fetchHistory(request) } }
      if let found { parts.append(StoreResult(backend: backing, transactions: found)) }
    }
    if core.hasSQLiteStores, let found = try question.perform({ try core.fetchSQLiteHistory(request) }) {
      parts.append(StoreResult(backend: nil, transactions: found))
    }
    self.core = core
    self.descriptor = descriptor
    self.scope = question
    self.results = parts
    try bounds?.after?.requireStore(in: stores)
  }

  private var bounds: HistoryBounds? {
    (descriptor as? HistoryDescriptor<DefaultHistoryTransaction>).map { HistoryBounds($0.predicate) }
  }

  /// The container's stores, and the SQLite stores that data stores wrap.
  private var stores: Set<String> { Set(scope.starts.keys).union(core.sessions.map(\.store.identifier)) }

  /// Returns the matching transactions, or `nil` if no store has transactions of this type.
  func transactions() -> [Transaction]? { results.isEmpty ? nil : selected().map(\.transaction) }

  private func selected() -> [Match] {
    let all = results.indices.flatMap { part in
      results[part].transactions.map { Match(resultIndex: part, transaction: $0) }
    }
    var found = HistoryMerge.merged(all, by: \.transaction)
    if var own = found.map(\.transaction) as? [DefaultHistoryTransaction] {
      let read = scope.starts.merging(bounds?.after?.numbers ?? [:]) { $1 }
      HistoryMerge.assignTokens(to: &own, after: read)
      if let stamped = own as? [Transaction] {
        for (place, transaction) in stamped.enumerated() { found[place].transaction = transaction }
      }
    }
    if !descriptor.sortBy.isEmpty { found.sort { descriptor.isInOrder($0.transaction, $1.transaction) } }
    return descriptor.limit.map { Array(found.prefix($0)) } ?? found
  }

  /// Deletes the matching transactions.
  ///
  /// - Returns: Whether any store has transactions of this type.
  func delete() throws -> Bool {
    if results.isEmpty { return false }
    try bounds?.requireUnambiguousTokens(in: stores)
    if descriptor.isDeletedInBatches { return try deleteInBatches() }
    let found = selected()
    let own =
      found.filter { results[$0.resultIndex].backend == nil }.map(\.transaction) as? [DefaultHistoryTransaction] ?? []
    try core.requireWritable(own)
    for part in results.indices {
      let count = found.count { $0.resultIndex == part }
      guard let backing = results[part].backend, count > 0 else { continue }
      var share = descriptor
      // The first transactions of all stores in an order are the first ones of each store in this order.
      if share.fetchLimit > 0 { share.fetchLimit = UInt64(count) }
      let request = share
      _ = try backing.exclusively { try scope.perform { try backing.deleteHistory(request) } }
    }
    try core.deleteTransactions(own)
    return true
  }

  private func deleteInBatches() throws -> Bool {
    let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction>
    if let own { try core.requireWritable(own) }
    let request = descriptor
    for backing in results.compactMap(\.backend) {
      _ = try backing.exclusively { try scope.perform { try backing.deleteHistory(request) } }
    }
    if let own, core.hasSQLiteStores { try core.deleteTransactions(own) }
    return true
  }
}
