public import Foundation

/// A request for transactions of a store's history, in an order.
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
/// Without a token, the request matches the rest of the history, which may have lost earlier transactions: start with the
/// store's current contents.
///
/// The store evaluates conditions on `token`, `id` and `transactionIdentifier` that are joined by `&&`, so that transactions
/// read earlier are not read again. Other conditions are evaluated on each remaining transaction.
public struct HistoryDescriptor<TransactionType> where TransactionType: HistoryTransaction {
  /// The predicate of the transactions; `nil` matches all of them.
  public var predicate: Predicate<TransactionType>?
  /// The largest number of transactions to fetch; 0 for all.
  public var fetchLimit: UInt64 = 0
  /// The order of the transactions. If empty, they are in the order of their commits.
  public var sortBy: [SortDescriptor<TransactionType>]

  /// Creates a descriptor of transactions in the order of their commits.
  ///
  /// - Parameter predicate: The predicate of the transactions; `nil` matches all of them.
  public init(predicate: Predicate<TransactionType>? = nil) {
    self.predicate = predicate
    sortBy = []
  }

  /// Creates a descriptor of transactions in the specified order.
  ///
  /// - Parameters:
  ///   - predicate: The predicate of the transactions; `nil` matches all of them.
  ///   - sortBy: The order; if empty, that of the commits.
  public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
