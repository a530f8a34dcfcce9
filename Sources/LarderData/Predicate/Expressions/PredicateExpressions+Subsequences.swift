import Foundation

extension PredicateExpressions.CollectionContainsCollection: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let whole = try lowering.lower(base, at: Lowering.offset(offset, of: \Self.base))
    let part = try lowering.lower(other, at: Lowering.offset(offset, of: \Self.other))
    if whole.kind == .text, part.kind == .text { return .condition(.containsText(whole, part)) }
    let equality = StoreEquality<Base.Output.Element>()
    return try Lowering.call(whole, part) { (whole: Base.Output, part: Other.Output) in
      var rest = whole[...]
      while true {
        if rest.starts(with: part, by: equality.areEqual) { return true }
        if rest.isEmpty { return false }
        rest = rest.dropFirst()
      }
    }
  }
}

extension PredicateExpressions.SequenceStartsWith: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let whole = try lowering.lower(base, at: Lowering.offset(offset, of: \Self.base))
    let beginning = try lowering.lower(prefix, at: Lowering.offset(offset, of: \Self.prefix))
    if whole.kind == .text, beginning.kind == .text { return .condition(.startsWith(whole, beginning)) }
    let equality = StoreEquality<Base.Output.Element>()
    return try Lowering.call(whole, beginning) { (whole: Base.Output, beginning: Prefix.Output) in
      whole.starts(with: beginning, by: equality.areEqual)
    }
  }
}
