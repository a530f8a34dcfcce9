public import Foundation

/// Which transactions of a store's history are asked for, and in which order.
///
/// ```swift
/// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
/// if let seen { descriptor.predicate = #Predicate { $0.token > seen } }
/// for transaction in try context.fetchHistory(descriptor) {
///   …
///   seen = transaction.token
/// }
/// ```
///
/// Without a token it is what is left of the history, which need not be all that there was: begin with the store as it is.
///
/// Conditions on `token`, `id` and `transactionIdentifier` that are joined by `&&` are the store's to answer, so that what
/// one has seen is not read again; whatever else the predicate says is asked of each transaction that is left.
public struct HistoryDescriptor<TransactionType> where TransactionType: HistoryTransaction {
  /// What a transaction must be like; nil for all.
  public var predicate: Predicate<TransactionType>?
  /// How many transactions are wanted at most; 0 for all.
  public var fetchLimit: UInt64 = 0
  /// Their order; without any, that of the commits.
  public var sortBy: [SortDescriptor<TransactionType>]

  /// Makes a descriptor for transactions in the order of their commits.
  public init(predicate: Predicate<TransactionType>? = nil) {
    self.predicate = predicate
    sortBy = []
  }

  /// Makes a descriptor for transactions in an order.
  public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
