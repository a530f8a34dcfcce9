import Foundation

extension PredicatePlan {
  /// Returns whether two predicates of a model are the same, captured values included; nil where the store supports neither.
  ///
  /// Foundation's predicates are not Equatable, and their descriptions leave out the names of a model's properties.
  static func areSame(
    _ left: any StandardPredicateExpression<Bool>, _ right: any StandardPredicateExpression<Bool>,
    _ layout: _ModelLayout
  ) -> Bool? {
    guard type(of: left) == type(of: right) else { return false }
    guard let one = try? PredicatePlan(left, layout), let other = try? PredicatePlan(right, layout) else { return nil }
    guard one.whereSQL == other.whereSQL else { return false }
    guard one.isWholeSQL, other.isWholeSQL else {
      guard one.isReusable, ExpressionMemory.with(right, { one.fits($0) }) else { return nil }
      return (try? one.parameterValues(left) == one.parameterValues(right)) ?? nil
    }
    guard let values = try? one.boundValues(left), let others = try? other.boundValues(right) else { return nil }
    return values == others
  }
}
