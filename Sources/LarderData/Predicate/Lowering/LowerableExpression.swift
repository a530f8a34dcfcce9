import Foundation

/// A predicate expression that the store supports: each of Foundation's nodes conforms in a separate file.
///
/// To add a node, conform it here and convert it to a ``Term``. If no existing ``TermOperation`` has its meaning, add one:
/// the compiler then reports the two places, ``SQLWriter`` and ``Evaluator``, that must handle it.
protocol LowerableExpression<Output>: PredicateExpression {
  /// Whether the value depends only on captured values, and can be computed without a trap.
  static var isConstant: Bool { get }

  /// Converts the expression to a term.
  ///
  /// - Parameter offset: The offset of this expression in the memory of the root expression, in bytes; nil if it is
  ///   unknown, and the plan must then be created anew for each use.
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term

  /// Returns a loader that computes the value before the query runs; nil where it depends on the object.
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

  /// Returns the value as a parameter, if no part of it depends on the object.
  func lowerCaptured(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    guard let load = try capture(&lowering, at: offset) else { throw UnsupportedPredicate.expression(Self.self) }
    return try lowering.parameter(load)
  }
}

/// Returns whether an expression of this type depends on captured values only.
func isConstant(_ type: any Any.Type) -> Bool {
  (type as? any LowerableExpression.Type)?.isConstant ?? false
}

/// Evaluates an expression that doesn't depend on the object; Foundation throws here where a captured optional is nil.
private func evaluateCaptured<Expression: PredicateExpression>(_ expression: Expression) throws -> Expression.Output {
  do {
    return try expression.evaluate(PredicateBindings())
  } catch {
    throw PredicateFailure.captured("\(error)")
  }
}
