import Foundation

/// The bounds of a predicate on transaction numbers, which the store evaluates.
struct HistoryBounds {
  /// The token up to which the caller has read. All transactions after it must still exist.
  private(set) var after: DefaultHistoryToken?
  /// The greatest token in the predicate. Its numbers for other stores become part of each transaction's own token.
  private(set) var greatestToken: DefaultHistoryToken?
  /// The tokens that a transaction's own token has to be equal to.
  private var equalTokens: [DefaultHistoryToken] = []
  private var lowest: Int64 = 1
  private var highest: Int64 = .max
  private var tokenBounds: [(place: Bound, token: DefaultHistoryToken)] = []

  enum Bound { case greaterThan, atLeast, atMost, lessThan }

  init(_ predicate: Predicate<DefaultHistoryTransaction>?) {
    (predicate?.expression as? any HistoryNarrowing)?.narrow(&self, isRequired: true)
  }

  /// Returns the bounds, limited to the transactions after a number.
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
    // The caller requires all transactions after such a token.
    switch place {
    case .greaterThan: after = max(after ?? token, token)
    case .atLeast:
      let former = DefaultHistoryToken(token.numbers.mapValues { $0 > 0 ? $0 - 1 : 0 })
      after = max(after ?? former, former)
    case .atMost, .lessThan: break
    }
  }

  /// Returns the range of numbers in a store. A token without a number of the store is from before its first transaction.
  func numbers(in store: String) -> ClosedRange<Int64>? {
    var bounds = self
    for (place, token) in tokenBounds { bounds.addBound(place, token.numbers[store] ?? 0) }
    return bounds.lowest <= bounds.highest ? bounds.lowest...bounds.highest : nil
  }

  /// Checks that each token of an equality stands for a transaction in one of the stores only.
  ///
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if it does not: deleting one of the transactions must not
  ///   delete the others.
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
  /// Checks that the token has a number of one of the stores.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if it has numbers of other stores only.
  func requireStore(in stores: Set<String>) throws {
    if numbers.isEmpty || numbers.keys.contains(where: { stores.contains($0) }) { return }
    throw SwiftDataError.historyTokenExpired.explained(
      "The token is of none of the container's stores: they were made anew, or others are open. Read the stores as they "
        + "are, and go on from their newest token.")
  }
}

// MARK: - Predicate expressions

/// An expression that may limit the transaction numbers.
private protocol HistoryNarrowing {
  /// - Parameter isRequired: Whether every matching transaction has to satisfy the expression.
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
    // A token is that of a single transaction, in any of the stores.
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
  /// The key paths of a transaction's number and token.
  static var numberKeyPaths: [AnyKeyPath] {
    [
      \DefaultHistoryTransaction.token, \DefaultHistoryTransaction.id, \DefaultHistoryTransaction.transactionIdentifier,
    ]
  }

  /// - Parameter expression: The compared value. Only captured values limit the numbers.
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
