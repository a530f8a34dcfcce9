import Foundation

extension PredicateExpressions.SequenceContainsWhere: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let values = try lowering.lower(sequence, at: Lowering.offset(offset, of: \Self.sequence))
    if case .collection(let collection) = values.operation {
      let test = try lowering.lower(
        test, at: Lowering.offset(offset, of: \Self.test), ofEach: variable,
        at: Lowering.offset(offset, of: \Self.variable), in: collection)
      return collection.contains(test)
    }
    try Lowering.refuseObject(values, LHS.Output.self)
    let (bridge, sequence) = (try ValueBridge<LHS.Output.Element>(), try ValueBridge<LHS.Output>())
    let local = lowering.element(variable, bridge, at: Lowering.offset(offset, of: \Self.variable))
    let test = try lowering.lower(test, at: Lowering.offset(offset, of: \Self.test))
    return .condition(
      .iterate(
        SwiftIteration(sequence: values, local: local, test: test) { values, test in
          .stored(.integer(try sequence.value(values).contains { try test(bridge.evaluated($0)) } ? 1 : 0))
        }))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let values = try lowering.lower(sequence, at: Lowering.offset(offset, of: \Self.sequence))
    if case .collection(let collection) = values.operation {
      let test = try lowering.lower(
        test, at: Lowering.offset(offset, of: \Self.test), ofEach: variable,
        at: Lowering.offset(offset, of: \Self.variable), in: collection)
      return .condition(.not(collection.contains(.condition(.not(test)))))
    }
    try Lowering.refuseObject(values, LHS.Output.self)
    let (bridge, sequence) = (try ValueBridge<LHS.Output.Element>(), try ValueBridge<LHS.Output>())
    let local = lowering.element(variable, bridge, at: Lowering.offset(offset, of: \Self.variable))
    let test = try lowering.lower(test, at: Lowering.offset(offset, of: \Self.test))
    return .condition(
      .iterate(
        SwiftIteration(sequence: values, local: local, test: test) { values, test in
          .stored(.integer(try sequence.value(values).allSatisfy { try test(bridge.evaluated($0)) } ? 1 : 0))
        }))
  }
}

extension PredicateExpressions.Filter: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let values = try lowering.lower(sequence, at: Lowering.offset(offset, of: \Self.sequence))
    if case .collection(let collection) = values.operation {
      let test = try lowering.lower(
        filter, at: Lowering.offset(offset, of: \Self.filter), ofEach: variable,
        at: Lowering.offset(offset, of: \Self.variable), in: collection)
      return Term(.collection(collection.filtered(by: test)), .structure)
    }
    try Lowering.refuseObject(values, LHS.Output.self)
    let (bridge, sequence) = (try ValueBridge<LHS.Output.Element>(), try ValueBridge<LHS.Output>())
    let local = lowering.element(variable, bridge, at: Lowering.offset(offset, of: \Self.variable))
    let test = try lowering.lower(filter, at: Lowering.offset(offset, of: \Self.filter))
    return Term(
      .iterate(
        SwiftIteration(sequence: values, local: local, test: test) { values, test in
          .swift(try sequence.value(values).filter { try test(bridge.evaluated($0)) })
        }), .structure)
  }
}
