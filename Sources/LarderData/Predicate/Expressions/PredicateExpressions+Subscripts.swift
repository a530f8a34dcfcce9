import Foundation

extension PredicateExpressions.CollectionIndexSubscript: LowerableExpression {
  static var isConstant: Bool { LarderData.isConstant(Wrapped.self) && LarderData.isConstant(Index.self) }

  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    if Self.isConstant { return try lowerCaptured(&lowering, at: offset) }
    let collection = try lowering.lower(wrapped, at: Lowering.offset(offset, of: \Self.wrapped))
    let index = try lowering.lower(index, at: Lowering.offset(offset, of: \Self.index))
    return try Lowering.call(collection, index, mayFail: true) {
      (collection: Wrapped.Output, index: Wrapped.Output.Index) in
      guard index >= collection.startIndex, index < collection.endIndex else { throw PredicateFailure.indexOutOfRange }
      return collection[index]
    }
  }
}

extension PredicateExpressions.CollectionRangeSubscript: LowerableExpression {
  static var isConstant: Bool { LarderData.isConstant(Wrapped.self) && LarderData.isConstant(Range.self) }

  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    if Self.isConstant { return try lowerCaptured(&lowering, at: offset) }
    let collection = try lowering.lower(wrapped, at: Lowering.offset(offset, of: \Self.wrapped))
    let range = try lowering.lower(range, at: Lowering.offset(offset, of: \Self.range))
    typealias Bound = Wrapped.Output.Index
    guard case .range(let lower?, let upper?, false) = range.operation else {
      return try Lowering.call(collection, range, mayFail: true) { (collection: Wrapped.Output, range: Range.Output) in
        try Self.slice(of: collection, range.lowerBound, range.upperBound)
      }
    }
    return try Lowering.call(collection, lower, upper, mayFail: true) {
      (collection: Wrapped.Output, lower: Bound, upper: Bound) in
      try Self.slice(of: collection, lower, upper)
    }
  }

  private static func slice(
    of collection: Wrapped.Output, _ lower: Wrapped.Output.Index, _ upper: Wrapped.Output.Index
  ) throws -> Wrapped.Output.SubSequence {
    guard lower >= collection.startIndex, lower <= upper, upper <= collection.endIndex else {
      throw PredicateFailure.indexOutOfRange
    }
    return collection[lower..<upper]
  }
}

extension PredicateExpressions.DictionaryKeySubscript: LowerableExpression {
  static var isConstant: Bool { LarderData.isConstant(Wrapped.self) && LarderData.isConstant(Key.self) }

  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    if Self.isConstant { return try lowerCaptured(&lowering, at: offset) }
    let dictionary = try lowering.lower(wrapped, at: Lowering.offset(offset, of: \Self.wrapped))
    let key = try lowering.lower(key, at: Lowering.offset(offset, of: \Self.key))
    return try Lowering.call(dictionary, key) { (dictionary: [Key.Output: Value], key: Key.Output) in dictionary[key] }
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: LowerableExpression {
  static var isConstant: Bool {
    LarderData.isConstant(Wrapped.self) && LarderData.isConstant(Key.self) && LarderData.isConstant(Default.self)
  }

  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    if Self.isConstant { return try lowerCaptured(&lowering, at: offset) }
    let dictionary = try lowering.lower(wrapped, at: Lowering.offset(offset, of: \Self.wrapped))
    let key = try lowering.lower(key, at: Lowering.offset(offset, of: \Self.key))
    let other = try lowering.lower(self.default, at: Lowering.offset(offset, of: \Self.default))
    // The default is evaluated only if it is needed.
    let value = try Lowering.call(dictionary, key) {
      (dictionary: [Key.Output: Default.Output], key: Key.Output) in dictionary[key]
    }
    return Term(.coalesce(value, other), other.kind, isOptional: other.isOptional)
  }
}
