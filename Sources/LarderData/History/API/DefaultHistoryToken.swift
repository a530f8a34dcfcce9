import LarderSupport

/// A position in the history of a container's stores, up to which the caller has read.
///
/// A token can be stored between runs of the program:
///
/// ```swift
/// let data = try JSONEncoder().encode(transaction.token)
/// let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
/// ```
public struct DefaultHistoryToken: HistoryToken {
  public typealias TokenType = [String: Int64]

  /// The number of the last transaction that was read, by store identifier.
  public let tokenValue: [String: Int64]?

  /// The store to which comparisons are limited while a predicate is evaluated on one of its transactions. The numbers of other
  /// stores do not matter for that transaction.
  private var comparedStore: String?

  package init(_ numbers: [String: Int64]) { tokenValue = numbers }

  private enum CodingKeys: CodingKey { case tokenValue }

  /// Returns the token that a transaction of a store has while a predicate is evaluated on it.
  func scoped(to store: String) -> DefaultHistoryToken {
    var token = self
    token.comparedStore = store
    return token
  }

  private static func number(_ token: DefaultHistoryToken, in store: String) -> Int64 { token.numbers[store] ?? 0 }

  var numbers: [String: Int64] { tokenValue ?? [:] }

  public var id: Int { hashValue }

  /// Compares the tokens' numbers store by store, in the order of the store identifiers. The token of a transaction is greater
  /// than those of the store's earlier transactions.
  public static func < (left: DefaultHistoryToken, right: DefaultHistoryToken) -> Bool {
    if let store = left.comparedStore ?? right.comparedStore {
      return number(left, in: store) < number(right, in: store)
    }
    let (left, right) = (left.numbers, right.numbers)
    for store in Set(left.keys).union(right.keys).inOrder() {
      let (a, b) = (left[store] ?? 0, right[store] ?? 0)
      if a != b { return a < b }
    }
    return false
  }

  public static func == (left: DefaultHistoryToken, right: DefaultHistoryToken) -> Bool {
    if let store = left.comparedStore ?? right.comparedStore {
      return number(left, in: store) == number(right, in: store)
    }
    return left.significant == right.significant
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(significant) }

  /// The numbers without zeros: 0 stands for a store that was not read, like a missing number.
  private var significant: [String: Int64] { numbers.filter { $0.value != 0 } }
}

extension DefaultHistoryToken {
  /// The identifier of the token's store: the first one in alphabetical order if there are several, or "" if there is none.
  public var storeIdentifier: String { numbers.keys.min() ?? "" }
}

extension HistoryToken {
  /// The identifier of the token's store, or "" if the token does not contain it.
  public var storeIdentifier: String { (self as? DefaultHistoryToken)?.storeIdentifier ?? "" }
}
