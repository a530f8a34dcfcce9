import Foundation
import LarderSupport

/// A merge of the histories of several stores.
enum HistoryMerge {
  /// Returns the transactions in the order of their timestamps, keeping the order of each store's transactions.
  static func merged<Element, Transaction: HistoryTransaction>(
    _ elements: [Element], by transaction: (Element) -> Transaction
  ) -> [Element] {
    var queues = Dictionary(grouping: elements) { transaction($0).storeIdentifier }.mapValues { $0[...] }
    if queues.count < 2 { return elements }
    var result: [Element] = []
    result.reserveCapacity(elements.count)
    while let next = queues.compactMapValues(\.first).min(by: { one, other in
      (transaction(one.value).timestamp, one.key) < (transaction(other.value).timestamp, other.key)
    }) {
      queues[next.key]?.removeFirst()
      result.append(next.value)
    }
    return result
  }

  /// Sets each transaction's token so that it stands for all transactions before it.
  ///
  /// - Parameter read: The last number of each store that was read before the first transaction.
  static func assignTokens(to transactions: inout [DefaultHistoryTransaction], after read: [String: Int64]) {
    var numbers = read
    for place in transactions.indices {
      numbers[transactions[place].storeIdentifier] = transactions[place].transactionIdentifier
      transactions[place].token = DefaultHistoryToken(numbers)
    }
  }
}

extension HistoryDescriptor {
  /// Returns whether one transaction comes before another in the descriptor's order.
  func isInOrder(_ one: TransactionType, _ other: TransactionType) -> Bool {
    for descriptor in sortBy {
      switch descriptor.compare(one, other) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame: continue
      }
    }
    return false
  }

  /// The largest number of transactions to fetch, or `nil` for all.
  var limit: Int? { fetchLimit == 0 ? nil : Int(clamping: fetchLimit) }
}
