import Foundation
import LarderSupport

/// Makes one history of those of several stores.
enum HistoryMerge {
  /// In the order of the times, and in each store in the order that its transactions have.
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

  /// Each token stands for all that come before it.
  ///
  /// - Parameter read: What was read before the first of them, by the stores.
  static func assignTokens(to transactions: inout [DefaultHistoryTransaction], after read: [String: Int64]) {
    var numbers = read
    for place in transactions.indices {
      numbers[transactions[place].storeIdentifier] = transactions[place].transactionIdentifier
      transactions[place].token = DefaultHistoryToken(numbers)
    }
  }
}

extension HistoryDescriptor {
  /// Whether one comes before another in the order that is asked for.
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

  /// How many are wanted at most; nil for all.
  var limit: Int? { fetchLimit == 0 ? nil : Int(clamping: fetchLimit) }
}
