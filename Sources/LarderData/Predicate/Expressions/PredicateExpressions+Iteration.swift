import Foundation

// Operations of Swift on each element of a sequence: in SQL for related objects, in Swift for any other sequence.

extension PredicateExpressions.SequenceContainsWhere: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    try lowering.lowerIteration(
      sequence, at: Lowering.offset(offset, of: \Self.sequence), test: test,
      at: Lowering.offset(offset, of: \Self.test), variable, at: Lowering.offset(offset, of: \Self.variable)
    ) { collection, test in
      collection.contains(test)
    } orInSwift: { sequence, test in
      .stored(.integer(try sequence.contains(where: test) ? 1 : 0))
    }
  }
}

extension PredicateExpressions.SequenceAllSatisfy: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    try lowering.lowerIteration(
      sequence, at: Lowering.offset(offset, of: \Self.sequence), test: test,
      at: Lowering.offset(offset, of: \Self.test), variable, at: Lowering.offset(offset, of: \Self.variable)
    ) { collection, test in
      .condition(.not(collection.contains(.condition(.not(test)))))
    } orInSwift: { sequence, test in
      .stored(.integer(try sequence.allSatisfy(test) ? 1 : 0))
    }
  }
}

extension PredicateExpressions.Filter: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    try lowering.lowerIteration(
      sequence, at: Lowering.offset(offset, of: \Self.sequence), test: filter,
      at: Lowering.offset(offset, of: \Self.filter), variable, at: Lowering.offset(offset, of: \Self.variable),
      yields: .structure
    ) { collection, test in
      Term(.collection(collection.filtered(by: test)), .structure)
    } orInSwift: { sequence, test in
      .swift(try sequence.filter(test))
    }
  }
}

extension Lowering {
  /// Lowers an expression that tests each element of a sequence.
  ///
  /// - Parameters:
  ///   - kind: The kind of the result; nil for a condition.
  ///   - onCollection: Creates the term for related objects, which SQL tests.
  ///   - inSwift: Runs the iteration over values, with the sequence and the test.
  fileprivate mutating func lowerIteration<Values: PredicateExpression, Test: PredicateExpression>(
    _ sequence: Values, at sequenceOffset: Int?, test: Test, at testOffset: Int?,
    _ variable: PredicateExpressions.Variable<Values.Output.Element>, at variableOffset: Int?,
    yields kind: ValueKind? = nil,
    onCollection: (CollectionTerm, Term) throws -> Term,
    orInSwift inSwift: @escaping (Values.Output, (Values.Output.Element) throws -> Bool) throws -> EvaluatedValue
  ) throws -> Term where Values.Output: Sequence {
    let values = try lower(sequence, at: sequenceOffset)
    if case .collection(let collection) = values.operation {
      let test = try lower(test, at: testOffset, ofEach: variable, at: variableOffset, in: collection)
      return try onCollection(collection, test)
    }
    try Lowering.rejectObject(values, Values.Output.self)
    let (element, bridge) = (try ValueBridge<Values.Output.Element>(), try ValueBridge<Values.Output>())
    let local = self.element(variable, element, at: variableOffset)
    let iteration = SwiftIteration(sequence: values, local: local, test: try lower(test, at: testOffset)) {
      values, test in
      try inSwift(try bridge.value(values)) { try test(element.evaluated($0)) }
    }
    return kind.map { Term(.iterate(iteration), $0) } ?? .condition(.iterate(iteration))
  }
}
