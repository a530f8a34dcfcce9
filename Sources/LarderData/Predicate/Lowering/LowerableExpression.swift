import Foundation

/// A predicate expression that the store understands: each of Foundation's nodes conforms in a file of its own.
///
/// To add one, conform it here, make a ``Term`` of it, and where no existing ``Operation`` says what it means, add
/// one: the compiler then names the two places, ``SQLWriter`` and ``Evaluator``, that must know it.
protocol LowerableExpression<Output>: PredicateExpression {
  /// Whether its value depends on nothing but what was captured, and can be had without a trap.
  static var isConstant: Bool { get }

  /// - Parameter offset: Where this expression lies in the memory of the root expression, in bytes; nil where that is
  ///   not known, and the plan must then be made anew for each use.
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term

  /// How its value is had before the query runs; nil where it depends on the object.
  func capture(_ lowering: inout Lowering, at offset: Int?) throws -> CaptureLoader<Output>?
}

extension LowerableExpression {
  static var isConstant: Bool { false }

  func capture(_ lowering: inout Lowering, at offset: Int?) throws -> CaptureLoader<Output>? {
    guard Self.isConstant else { return nil }
    guard let offset else {
      lowering.isReusable = false
      return CaptureLoader { _ in try evaluateCaptured(self) }
    }
    return CaptureLoader { try evaluateCaptured($0.load(at: offset, as: Self.self)) }
  }

  /// The parameter that its value becomes, where nothing in it depends on the object.
  func lowerCaptured(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    guard let load = try capture(&lowering, at: offset) else { throw UnsupportedPredicate.expression(Self.self) }
    return try lowering.parameter(load)
  }
}

/// Whether an expression of this type depends on captured values only.
func isConstant(_ type: any Any.Type) -> Bool {
  (type as? any LowerableExpression.Type)?.isConstant ?? false
}

/// Evaluates what doesn't depend on the object; Foundation throws here where a captured optional is nil.
private func evaluateCaptured<Expression: PredicateExpression>(_ expression: Expression) throws -> Expression.Output {
  do {
    return try expression.evaluate(PredicateBindings())
  } catch {
    throw PredicateFailure.captured("\(error)")
  }
}
