import Foundation

/// How conditions are joined.
enum ConditionJoint {
  case all, any, none
}

/// Any number of predicates joined by `&&` or by `||`, or one negated.
///
/// The type of an expression names those of its parts, and its value holds theirs. For a few that is wanted: see
/// ``Foundation/PredicateExpressions/Applied``. Of hundreds, joined in a loop, neither copying nor ending such a value has
/// room on a thread's stack. Here they stand in a list, whose plan is made for each use.
// @unchecked: variables are names, and the list is Sendable.
struct JoinedConditions<each Input>: PredicateExpression, @unchecked Sendable {
  typealias Output = Bool

  let joint: ConditionJoint
  let list: ConditionList<repeat each Input>
  let variable: (repeat PredicateExpressions.Variable<each Input>)

  /// 1 KiB: what expressions joined one to the other may hold before they become a list.
  static var largestValue: Int { 1 << 10 }
  /// 8 KiB: the same where halves are joined, which lie in one another a few levels deep.
  static var largestValueOfHalves: Int { 8 << 10 }

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    let values = (repeat try JoinedConditions.value(of: each variable, bindings))
    for predicate in list.predicates {
      let holds = try StackRoom.with(atLeast: StackRoom.least) { try predicate.evaluate(repeat each values) }
      if holds != (joint == .all) { return joint == .any }
    }
    return joint != .any
  }

  private static func value<Value>(
    of variable: PredicateExpressions.Variable<Value>, _ bindings: PredicateBindings
  ) throws -> Value { try variable.evaluate(bindings) }
}

extension JoinedConditions {
  /// Predicates as one; those that are joined likewise become parts of it.
  static func predicate(
    _ joint: ConditionJoint, _ predicates: [Predicate<repeat each Input>]
  ) -> Predicate<repeat each Input> {
    let lists = predicates.map { predicate -> ConditionList<repeat each Input> in
      guard let own = predicate.expression as? JoinedConditions, own.joint == joint else {
        return ConditionList(predicate)
      }
      return own.list
    }
    // What is negated twice is as before.
    if joint == .none, let inner = predicates.first?.expression as? JoinedConditions, inner.joint == .none,
      let one = inner.list.predicates.first
    {
      return one
    }
    let list = ConditionList(joining: lists[...])
    return Predicate { (variable: repeat PredicateExpressions.Variable<each Input>) in
      JoinedConditions(joint: joint, list: list, variable: (repeat each variable))
    }
  }
}

extension JoinedConditions: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    lowering.isReusable = false
    var terms: [Term] = []
    for predicate in list.predicates {
      for (own, others) in repeat (each predicate.variable, each variable) {
        lowering.bind(own, to: try lowering.lower(others, at: nil), at: nil)
      }
      terms.append(try lowering.lower(predicate.expression, at: nil))
    }
    return switch joint {
    case .all: .all(terms)
    case .any: .any(terms)
    case .none: .negated(.any(terms))
    }
  }
}

// What a predicate is made of must be Codable.
extension JoinedConditions: StandardPredicateExpression {
  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: JoinedConditions.reason))
  }

  init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: decoder.codingPath, debugDescription: JoinedConditions.reason))
  }

  private static var reason: String {
    "A predicate that is joined of many others can't be encoded. Encode its parts, and join them again where they are "
      + "decoded."
  }
}
