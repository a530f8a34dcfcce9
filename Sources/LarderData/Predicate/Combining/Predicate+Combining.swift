// Combining predicates at run time. #Predicate itself rejects `evaluate` of another predicate on Linux.
public import Foundation

extension Predicate {
  /// Returns a predicate that is true if both predicates are true.
  ///
  /// ```swift
  /// var wanted = #Predicate<Quake> { $0.magnitude >= 5 }
  /// if let place { wanted = wanted.and(#Predicate { $0.place.contains(place) }) }
  /// ```
  ///
  /// - Parameter other: The predicate to combine with this one.
  public func and(_ other: Predicate<repeat each Input>) -> Predicate<repeat each Input> {
    requiresList(with: other) ? PredicateListExpression.predicate(.all, [self, other]) : combined(.all, other)
  }

  /// Returns a predicate that is true if at least one of the two predicates is true.
  ///
  /// ```swift
  /// let worthALook = strong.or(#Predicate { $0.depth < 10 })
  /// ```
  ///
  /// - Parameter other: The predicate to combine with this one.
  public func or(_ other: Predicate<repeat each Input>) -> Predicate<repeat each Input> {
    requiresList(with: other) ? PredicateListExpression.predicate(.any, [self, other]) : combined(.any, other)
  }

  /// A predicate that is true if this one is false.
  ///
  /// ```swift
  /// let weak = strong.negated
  /// ```
  public var negated: Predicate<repeat each Input> {
    if requiresList { return PredicateListExpression.predicate(.none, [self]) }
    return Predicate { (variable: repeat PredicateExpressions.Variable<each Input>) in
      ExpressionComposition.not(applied(to: repeat each variable))
    }
  }

  /// Returns an expression whose type contains the types of its parts, so that all predicates of the same form share one
  /// plan.
  private func combined(
    _ joint: LogicalConnective, _ other: Predicate<repeat each Input>
  ) -> Predicate<repeat each Input> {
    Predicate { (variable: repeat PredicateExpressions.Variable<each Input>) in
      let (left, right) = (applied(to: repeat each variable), other.applied(to: repeat each variable))
      return joint == .all ? ExpressionComposition.and(left, right) : ExpressionComposition.or(left, right)
    }
  }

  /// Returns whether the combination must be a list, because the expression's value would become too large.
  private func requiresList(with other: Predicate<repeat each Input>) -> Bool {
    requiresList || other.requiresList
      || size + other.size > PredicateListExpression<repeat each Input>.maximumInlineSize
  }

  private var requiresList: Bool {
    expression is PredicateListExpression<repeat each Input>
      || size > PredicateListExpression<repeat each Input>.maximumInlineSize
  }

  /// The size of the expression's value in bytes.
  private var size: Int { ExpressionComposition.size(of: expression) }

  /// Returns the condition with other variables in place of its own.
  private func applied(
    to other: repeat PredicateExpressions.Variable<each Input>
  ) -> any StandardPredicateExpression<Bool> {
    var body = expression
    for (own, others) in repeat (each variable, each other) { body = ExpressionComposition.apply(body, own, others) }
    return body
  }

  /// Returns a predicate that is true if all predicates are true; for an empty array, always.
  ///
  /// ```swift
  /// let filters: [Predicate<Quake>] = …
  /// let quakes = try context.fetch(FetchDescriptor(predicate: .all(filters)))
  /// ```
  public static func all(_ predicates: [Predicate<repeat each Input>]) -> Predicate<repeat each Input> {
    joined(predicates, .all)
      ?? Predicate { (_: repeat PredicateExpressions.Variable<each Input>) in PredicateExpressions.Value(true) }
  }

  /// Returns a predicate that is true if at least one predicate is true; for an empty array, never.
  public static func any(_ predicates: [Predicate<repeat each Input>]) -> Predicate<repeat each Input> {
    joined(predicates, .any)
      ?? Predicate { (_: repeat PredicateExpressions.Variable<each Input>) in PredicateExpressions.Value(false) }
  }

  private static func joined(
    _ predicates: [Predicate<repeat each Input>], _ joint: LogicalConnective
  ) -> Predicate<repeat each Input>? {
    guard predicates.count > 1 else { return predicates.first }
    var size = 0
    for predicate in predicates where size <= PredicateListExpression<repeat each Input>.maximumBalancedSize {
      size += predicate.requiresList ? .max / 2 : predicate.size
    }
    if size > PredicateListExpression<repeat each Input>.maximumBalancedSize {
      return PredicateListExpression.predicate(joint, predicates)
    }
    return balanced(predicates[...], joint)
  }

  /// Joins the halves recursively, so that the depth of the expression grows with the logarithm of the count.
  private static func balanced(
    _ predicates: ArraySlice<Predicate<repeat each Input>>, _ joint: LogicalConnective
  ) -> Predicate<repeat each Input>? {
    guard predicates.count > 1 else { return predicates.first }
    let middle = predicates.startIndex + predicates.count / 2
    guard let left = balanced(predicates[..<middle], joint), let right = balanced(predicates[middle...], joint)
    else { return nil }
    return left.combined(joint, right)
  }
}

extension Expression {
  /// Returns a predicate that is true if a condition holds for the value of this expression.
  ///
  /// ```swift
  /// let total = #Expression<Order, Int> { $0.price * $0.amount }
  /// let large = total.matches(#Predicate { $0 >= 1_000 })
  /// let orders = try context.fetch(FetchDescriptor(predicate: large))
  /// ```
  public func matches(_ condition: Predicate<Output>) -> Predicate<repeat each Input> {
    Predicate { (variable: repeat PredicateExpressions.Variable<each Input>) in
      var value = expression
      for (own, others) in repeat (each self.variable, each variable) {
        value = ExpressionComposition.apply(value, own, others)
      }
      return ExpressionComposition.apply(condition.expression, condition.variable, to: value)
    }
  }
}

/// Puts expressions together whose types are known only at run time.
private enum ExpressionComposition {
  typealias Part = StandardPredicateExpression

  static func and<Left: Part<Bool>, Right: Part<Bool>>(_ left: Left, _ right: Right) -> any Part<Bool> {
    PredicateExpressions.Conjunction(lhs: left, rhs: right)
  }

  static func or<Left: Part<Bool>, Right: Part<Bool>>(_ left: Left, _ right: Right) -> any Part<Bool> {
    PredicateExpressions.Disjunction(lhs: left, rhs: right)
  }

  static func size<Body: Part<Bool>>(of body: Body) -> Int { MemoryLayout<Body>.size }

  static func not<Body: Part<Bool>>(_ body: Body) -> any Part<Bool> { PredicateExpressions.Negation(body) }

  static func apply<Body: Part<Output>, Input, Output>(
    _ body: Body, _ variable: PredicateExpressions.Variable<Input>, _ other: PredicateExpressions.Variable<Input>
  ) -> any Part<Output> {
    PredicateExpressions.Applied(body, variable: variable, argument: other)
  }

  static func apply<Body: Part<Bool>, Argument: Part<Value>, Value>(
    _ body: Body, _ variable: PredicateExpressions.Variable<Value>, to argument: Argument
  ) -> any Part<Bool> {
    PredicateExpressions.Applied(body, variable: variable, argument: argument)
  }
}
