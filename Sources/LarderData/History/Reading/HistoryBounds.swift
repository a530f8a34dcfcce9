import Foundation

/// What a predicate says of a transaction's place in the history: what the store can answer by its numbers.
struct HistoryBounds {
  /// What somebody has read up to: what comes after it must all be there still.
  private(set) var after: DefaultHistoryToken?
  private var lowest: Int64 = 1
  private var highest: Int64 = .max
  private var tokens: [(place: Place, token: DefaultHistoryToken)] = []

  enum Place { case above, from, upTo, below }

  init(_ predicate: Predicate<DefaultHistoryTransaction>?) {
    (predicate?.expression as? any HistoryNarrowing)?.narrow(&self)
  }

  mutating func add(_ place: Place, _ number: Int64) {
    switch place {
    case .above: lowest = max(lowest, number == .max ? number : number + 1)
    case .from: lowest = max(lowest, number)
    case .upTo: highest = min(highest, number)
    case .below: highest = min(highest, number == .min ? number : number - 1)
    }
  }

  mutating func add(_ place: Place, _ token: DefaultHistoryToken) {
    tokens.append((place, token))
    if place == .above { after = max(after ?? token, token) }
  }

  /// The numbers that come into question in a store; a token that knows nothing of it says nothing about it.
  func numbers(in store: String) -> ClosedRange<Int64>? {
    var bounds = self
    for (place, token) in tokens {
      if let number = token.numbers[store] { bounds.add(place, number) }
    }
    return bounds.lowest <= bounds.highest ? bounds.lowest...bounds.highest : nil
  }
}

// MARK: - What predicates say

/// An expression that may limit the numbers.
private protocol HistoryNarrowing {
  func narrow(_ bounds: inout HistoryBounds)
}

extension PredicateExpressions.Conjunction: HistoryNarrowing {
  fileprivate func narrow(_ bounds: inout HistoryBounds) {
    (lhs as? any HistoryNarrowing)?.narrow(&bounds)
    (rhs as? any HistoryNarrowing)?.narrow(&bounds)
  }
}

extension PredicateExpressions.Comparison: HistoryNarrowing {
  fileprivate func narrow(_ bounds: inout HistoryBounds) {
    let place: HistoryBounds.Place
    switch op {
    case .lessThan: place = .below
    case .lessThanOrEqual: place = .upTo
    case .greaterThan: place = .above
    case .greaterThanOrEqual: place = .from
    @unknown default: return
    }
    if (lhs as? any HistoryKeyPath)?.namesPlace ?? false { bounds.add(place, value: rhs) }
    if (rhs as? any HistoryKeyPath)?.namesPlace ?? false { bounds.add(place.mirrored, value: lhs) }
  }
}

extension PredicateExpressions.Equal: HistoryNarrowing {
  fileprivate func narrow(_ bounds: inout HistoryBounds) {
    for place in [HistoryBounds.Place.from, .upTo] {
      if (lhs as? any HistoryKeyPath)?.namesPlace ?? false { bounds.add(place, value: rhs) }
      if (rhs as? any HistoryKeyPath)?.namesPlace ?? false { bounds.add(place, value: lhs) }
    }
  }
}

private protocol HistoryKeyPath {
  var namesPlace: Bool { get }
}

extension PredicateExpressions.KeyPath: HistoryKeyPath
where Root == PredicateExpressions.Variable<DefaultHistoryTransaction> {
  fileprivate var namesPlace: Bool {
    let places: [AnyKeyPath] = [
      \DefaultHistoryTransaction.token, \DefaultHistoryTransaction.id, \DefaultHistoryTransaction.transactionIdentifier,
    ]
    return places.contains(keyPath)
  }
}

extension HistoryBounds.Place {
  fileprivate var mirrored: Self {
    switch self {
    case .above: .below
    case .from: .upTo
    case .upTo: .from
    case .below: .above
    }
  }
}

extension HistoryBounds {
  /// - Parameter expression: What is compared with; only what was captured says something.
  fileprivate mutating func add<Value: PredicateExpression>(_ place: Place, value expression: Value) {
    guard isConstant(Value.self), let value = try? expression.evaluate(PredicateBindings()) else { return }
    if let token = value as? DefaultHistoryToken { add(place, token) }
    if let number = value as? Int64 { add(place, number) }
  }
}
