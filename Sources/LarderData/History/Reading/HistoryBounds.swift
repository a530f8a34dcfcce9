import Foundation

/// What a predicate says of a transaction's place in the history: what the store can answer by its numbers.
struct HistoryBounds {
  /// What somebody has read up to: what comes after it must all be there still.
  private(set) var after: DefaultHistoryToken?
  /// The greatest token that the predicate names anywhere: what stands in a transaction's own token for the stores that it
  /// is not of.
  private(set) var greatestToken: DefaultHistoryToken?
  /// The tokens that it wants a transaction's own to be equal to.
  private var equalTokens: [DefaultHistoryToken] = []
  private var lowest: Int64 = 1
  private var highest: Int64 = .max
  private var tokenBounds: [(place: Bound, token: DefaultHistoryToken)] = []

  enum Bound { case greaterThan, atLeast, atMost, lessThan }

  init(_ predicate: Predicate<DefaultHistoryTransaction>?) {
    (predicate?.expression as? any HistoryNarrowing)?.narrow(&self, isRequired: true)
  }

  /// The same, of what comes after a transaction.
  func bounds(after number: Int64) -> HistoryBounds {
    var bounds = self
    bounds.addBound(.greaterThan, number)
    return bounds
  }

  fileprivate mutating func addBound(_ place: Bound, _ number: Int64) {
    switch place {
    case .greaterThan: lowest = max(lowest, number == .max ? number : number + 1)
    case .atLeast: lowest = max(lowest, number)
    case .atMost: highest = min(highest, number)
    case .lessThan: highest = min(highest, number == .min ? number : number - 1)
    }
  }

  fileprivate mutating func addBound(_ place: Bound, _ token: DefaultHistoryToken, isRequired: Bool) {
    greatestToken = max(greatestToken ?? token, token)
    guard isRequired else { return }
    tokenBounds.append((place, token))
    // What comes after these is what the reader counts on.
    switch place {
    case .greaterThan: after = max(after ?? token, token)
    case .atLeast:
      let former = DefaultHistoryToken(token.numbers.mapValues { $0 > 0 ? $0 - 1 : 0 })
      after = max(after ?? former, former)
    case .atMost, .lessThan: break
    }
  }

  /// The numbers that come into question in a store. A token that knows nothing of it is from before its first transaction.
  func numbers(in store: String) -> ClosedRange<Int64>? {
    var bounds = self
    for (place, token) in tokenBounds { bounds.addBound(place, token.numbers[store] ?? 0) }
    return bounds.lowest <= bounds.highest ? bounds.lowest...bounds.highest : nil
  }

  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` where a token that is to be equal is that of a transaction in
  ///   several of the stores: whoever forgets the one must not forget the others.
  func requireUnambiguousTokens(in stores: Set<String>) throws {
    guard equalTokens.contains(where: { token in token.numbers.count { $0.value != 0 && stores.contains($0.key) } > 1 })
    else {
      return
    }
    throw SwiftDataError.invalidTransactionFetchRequest.explained(
      "The token is of several stores, and equal to that of a transaction in each of them. To forget what was read up to it, "
        + "say $0.token <= token; to forget one transaction, name its storeIdentifier and its transactionIdentifier. Nothing was "
        + "deleted.")
  }
}

extension DefaultHistoryToken {
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where it is of other stores only.
  func requireStore(in stores: Set<String>) throws {
    if numbers.isEmpty || numbers.keys.contains(where: { stores.contains($0) }) { return }
    throw SwiftDataError.historyTokenExpired.explained(
      "The token is of none of the container's stores: they were made anew, or others are open. Read the stores as they "
        + "are, and go on from their newest token.")
  }
}

// MARK: - What predicates say

/// An expression that may limit the numbers.
private protocol HistoryNarrowing {
  /// - Parameter isRequired: Whether nothing passes for which it does not hold.
  func narrow(_ bounds: inout HistoryBounds, isRequired: Bool)
}

extension PredicateExpressions.Conjunction: HistoryNarrowing {
  fileprivate func narrow(_ bounds: inout HistoryBounds, isRequired: Bool) {
    (lhs as? any HistoryNarrowing)?.narrow(&bounds, isRequired: isRequired)
    (rhs as? any HistoryNarrowing)?.narrow(&bounds, isRequired: isRequired)
  }
}

extension PredicateExpressions.Disjunction: HistoryNarrowing {
  fileprivate func narrow(_ bounds: inout HistoryBounds, isRequired: Bool) {
    (lhs as? any HistoryNarrowing)?.narrow(&bounds, isRequired: false)
    (rhs as? any HistoryNarrowing)?.narrow(&bounds, isRequired: false)
  }
}

extension PredicateExpressions.Negation: HistoryNarrowing {
  fileprivate func narrow(_ bounds: inout HistoryBounds, isRequired: Bool) {
    (wrapped as? any HistoryNarrowing)?.narrow(&bounds, isRequired: false)
  }
}

extension PredicateExpressions.Comparison: HistoryNarrowing {
  fileprivate func narrow(_ bounds: inout HistoryBounds, isRequired: Bool) {
    let place: HistoryBounds.Bound
    switch op {
    case .lessThan: place = .lessThan
    case .lessThanOrEqual: place = .atMost
    case .greaterThan: place = .greaterThan
    case .greaterThanOrEqual: place = .atLeast
    @unknown default: return
    }
    if (lhs as? any HistoryKeyPath)?.isTransactionNumber ?? false { bounds.addBound(place, value: rhs, isRequired) }
    if (rhs as? any HistoryKeyPath)?.isTransactionNumber ?? false {
      bounds.addBound(place.flipped, value: lhs, isRequired)
    }
  }
}

extension PredicateExpressions.Equal: HistoryNarrowing {
  fileprivate func narrow(_ bounds: inout HistoryBounds, isRequired: Bool) {
    // A token is one of a single transaction, of whichever store.
    if (lhs as? any HistoryKeyPath)?.isTransactionNumber ?? false { bounds.addEquality(with: rhs, isRequired) }
    if (rhs as? any HistoryKeyPath)?.isTransactionNumber ?? false { bounds.addEquality(with: lhs, isRequired) }
  }
}

private protocol HistoryKeyPath {
  var isTransactionNumber: Bool { get }
}

extension PredicateExpressions.KeyPath: HistoryKeyPath
where Root == PredicateExpressions.Variable<DefaultHistoryTransaction> {
  fileprivate var isTransactionNumber: Bool { HistoryBounds.numberKeyPaths.contains(keyPath) }
}

extension HistoryBounds.Bound {
  fileprivate var flipped: Self {
    switch self {
    case .greaterThan: .lessThan
    case .atLeast: .atMost
    case .atMost: .atLeast
    case .lessThan: .greaterThan
    }
  }
}

extension HistoryBounds {
  /// What numbers a transaction.
  static var numberKeyPaths: [AnyKeyPath] {
    [
      \DefaultHistoryTransaction.token, \DefaultHistoryTransaction.id, \DefaultHistoryTransaction.transactionIdentifier,
    ]
  }

  /// - Parameter expression: What is compared with; only what was captured says something.
  fileprivate mutating func addBound<Value: PredicateExpression>(
    _ place: Bound, value expression: Value, _ isRequired: Bool
  ) {
    guard isConstant(Value.self), let value = try? expression.evaluate(PredicateBindings()) else { return }
    if let token = value as? DefaultHistoryToken { addBound(place, token, isRequired: isRequired) }
    if isRequired, let number = value as? Int64 { addBound(place, number) }
  }

  fileprivate mutating func addEquality<Value: PredicateExpression>(with expression: Value, _ isRequired: Bool) {
    guard isConstant(Value.self), let value = try? expression.evaluate(PredicateBindings()) else { return }
    if let token = value as? DefaultHistoryToken {
      greatestToken = max(greatestToken ?? token, token)
      if isRequired { equalTokens.append(token) }
    }
    guard isRequired, let number = value as? Int64 else { return }
    addBound(.atLeast, number)
    addBound(.atMost, number)
  }
}
