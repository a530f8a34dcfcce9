import Foundation

extension PredicateExpressions.SequenceMaximum: LowerableExpression {
  static var isConstant: Bool { LarderData.isConstant(Elements.self) }

  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    if Self.isConstant { return try lowerCaptured(&lowering, at: offset) }
    let elements = try lowering.lower(elements, at: Lowering.offset(offset, of: \Self.elements))
    let order = StoreOrder<Elements.Output.Element>()
    return try Lowering.call(elements) { (elements: Elements.Output) in elements.max(by: order.isLess) }
  }
}

extension PredicateExpressions.SequenceMinimum: LowerableExpression {
  static var isConstant: Bool { LarderData.isConstant(Elements.self) }

  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    if Self.isConstant { return try lowerCaptured(&lowering, at: offset) }
    let elements = try lowering.lower(elements, at: Lowering.offset(offset, of: \Self.elements))
    let order = StoreOrder<Elements.Output.Element>()
    return try Lowering.call(elements) { (elements: Elements.Output) in elements.min(by: order.isLess) }
  }
}
