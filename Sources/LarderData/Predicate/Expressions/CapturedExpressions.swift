// Expressions that are understood where nothing in them depends on the object: their value is bound.
import Foundation

extension PredicateExpressions.CollectionIndexSubscript: LowerableExpression {
  static var isConstant: Bool { LarderData.isConstant(Wrapped.self) && LarderData.isConstant(Index.self) }
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term { try lowerCaptured(&lowering, at: offset) }
}

extension PredicateExpressions.CollectionRangeSubscript: LowerableExpression {
  static var isConstant: Bool { LarderData.isConstant(Wrapped.self) && LarderData.isConstant(Range.self) }
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term { try lowerCaptured(&lowering, at: offset) }
}

extension PredicateExpressions.DictionaryKeySubscript: LowerableExpression {
  static var isConstant: Bool { LarderData.isConstant(Wrapped.self) && LarderData.isConstant(Key.self) }
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term { try lowerCaptured(&lowering, at: offset) }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: LowerableExpression {
  static var isConstant: Bool {
    LarderData.isConstant(Wrapped.self) && LarderData.isConstant(Key.self) && LarderData.isConstant(Default.self)
  }
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term { try lowerCaptured(&lowering, at: offset) }
}

extension PredicateExpressions.SequenceMaximum: LowerableExpression {
  static var isConstant: Bool { LarderData.isConstant(Elements.self) }
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term { try lowerCaptured(&lowering, at: offset) }
}

extension PredicateExpressions.SequenceMinimum: LowerableExpression {
  static var isConstant: Bool { LarderData.isConstant(Elements.self) }
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term { try lowerCaptured(&lowering, at: offset) }
}
