import LarderSupport

/// How far somebody has read in the history of a container's stores.
///
/// It may be kept between runs of the program:
///
/// ```swift
/// let data = try JSONEncoder().encode(transaction.token)
/// let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
/// ```
public struct DefaultHistoryToken: HistoryToken {
  public typealias TokenType = [String: Int64]

  /// The number of the last transaction that was read, by the identifier of its store.
  public let tokenValue: [String: Int64]?

  /// The one store that comparisons look at, while a predicate is asked about a transaction of it: what tokens say of other
  /// stores means nothing to that.
  private var comparedStore: String?

  package init(_ numbers: [String: Int64]) { tokenValue = numbers }

  private enum CodingKeys: CodingKey { case tokenValue }

  /// The same, as a transaction of a store has it while a predicate is asked about it.
  func scoped(to store: String) -> DefaultHistoryToken {
    var token = self
    token.comparedStore = store
    return token
  }

  private static func number(_ token: DefaultHistoryToken, in store: String) -> Int64 { token.numbers[store] ?? 0 }

  var numbers: [String: Int64] { tokenValue ?? [:] }

  public var id: Int { hashValue }

  /// Where there are several stores, they come one after the other, in the order of their identifiers. A token of one store
  /// is that of a transaction of it, and greater than those of the ones before.
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

  /// 0 stands for a store of which nothing was read, as none does.
  private var significant: [String: Int64] { numbers.filter { $0.value != 0 } }
}

extension DefaultHistoryToken {
  /// The store that the token is of; the first by name where it is of several, and "" where it is of none.
  public var storeIdentifier: String { numbers.keys.min() ?? "" }
}

extension HistoryToken {
  /// The store that the token is of, or "" where it doesn't say.
  public var storeIdentifier: String { (self as? DefaultHistoryToken)?.storeIdentifier ?? "" }
}
