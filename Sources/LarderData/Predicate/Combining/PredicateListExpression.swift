import Foundation

/// The operator that joins conditions.
enum LogicalConnective {
  case all, any, none
}

/// Any number of predicates joined by `&&` or by `||`, or one negated.
///
/// The type of an expression contains the types of its parts, and its value contains their values. For a few parts this is
/// intended: see ``Foundation/PredicateExpressions/Applied``. With hundreds of parts, joined in a loop, copying or
/// destroying such a value exceeds a thread's stack. Here the parts are in a list, whose plan is created for each use.
// @unchecked: variables are names, and the list is Sendable.
struct PredicateListExpression<each Input>: PredicateExpression, @unchecked Sendable {
  typealias Output = Bool

  let connective: LogicalConnective
  let list: PredicateList<repeat each Input>
  let variable: (repeat PredicateExpressions.Variable<each Input>)

  /// 1 KiB: the maximum size of expressions joined one by one, before they become a list.
  static var maximumInlineSize: Int { 1 << 10 }
  /// 8 KiB: the same where halves are joined, which are nested only a few levels deep.
  static var maximumBalancedSize: Int { 8 << 10 }

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    let values = (repeat try PredicateListExpression.value(of: each variable, bindings))
    for predicate in list.predicates {
      let holds = try StackSpace.with(atLeast: StackSpace.minimum) { try predicate.evaluate(repeat each values) }
      if holds != (connective == .all) { return connective == .any }
    }
    return connective != .any
  }

  private static func value<Value>(
    of variable: PredicateExpressions.Variable<Value>, _ bindings: PredicateBindings
  ) throws -> Value { try variable.evaluate(bindings) }
}

extension PredicateListExpression {
  /// Joins predicates into one; predicates with the same operator are merged into the list.
  static func predicate(
    _ joint: LogicalConnective, _ predicates: [Predicate<repeat each Input>]
  ) -> Predicate<repeat each Input> {
    let lists = predicates.map { predicate -> PredicateList<repeat each Input> in
      guard let own = predicate.expression as? PredicateListExpression, own.connective == joint else {
        return PredicateList(predicate)
      }
      return own.list
    }
    // A double negation is removed.
    if joint == .none, let inner = predicates.first?.expression as? PredicateListExpression, inner.connective == .none,
      let one = inner.list.predicates.first
    {
      return one
    }
    let list = PredicateList(joining: lists[...])
    return Predicate { (variable: repeat PredicateExpressions.Variable<each Input>) in
      PredicateListExpression(connective: joint, list: list, variable: (repeat each variable))
    }
  }
}

extension PredicateListExpression: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    lowering.isReusable = false
    var terms: [Term] = []
    for predicate in list.predicates {
      for (own, others) in repeat (each predicate.variable, each variable) {
        lowering.bind(own, to: try lowering.lower(others, at: nil), at: nil)
      }
      terms.append(try lowering.lower(predicate.expression, at: nil))
    }
    return switch connective {
    case .all: .all(terms)
    case .any: .any(terms)
    case .none: .negated(.any(terms))
    }
  }
}

// The parts of a predicate must be Codable.
extension PredicateListExpression: StandardPredicateExpression {
  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: PredicateListExpression.reason))
  }

  init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: decoder.codingPath, debugDescription: PredicateListExpression.reason))
  }

  private static var reason: String {
    "A predicate that is joined of many others can't be encoded. Encode its parts, and join them again where they are "
      + "decoded."
  }
}
