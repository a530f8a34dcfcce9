import Foundation

/// A conversion of one type's values to the evaluator's form and back.
struct ValueBridge<Value> {
  let kind: ValueKind
  let isOptional: Bool
  let value: (EvaluatedValue) throws -> Value
  let evaluated: (Value) throws -> EvaluatedValue

  /// - Throws: ``SwiftDataError/unsupportedPredicate`` for an optional of an optional, whose two kinds of nil the evaluator
  ///   cannot distinguish.
  init() throws {
    if let optional = Value.self as? any OptionalValue.Type {
      guard let bridge = try ValueBridge.make(optional) as? ValueBridge<Value> else {
        throw ValueBridge.nestedOptionalError
      }
      self = bridge
    } else if let kind = ValueKind.of(Value.self), let coding = ScalarCoding<Value>.find() {
      self.init(kind: kind, isOptional: false) { value in
        guard case .stored(let stored) = value, let value = coding.value(stored) else {
          throw PredicateFailure.unexpectedValue
        }
        return value
      } evaluated: {
        try ValueBridge.checkedStoredForm(coding, $0, kind)
      }
    } else {
      self.init(kind: .structure, isOptional: false) { value in
        guard case .swift(let any) = value, let value = any as? Value else { throw PredicateFailure.unexpectedValue }
        return value
      } evaluated: {
        .swift($0)
      }
    }
  }

  private init(
    kind: ValueKind, isOptional: Bool, value: @escaping (EvaluatedValue) throws -> Value,
    evaluated: @escaping (Value) throws -> EvaluatedValue
  ) {
    self.kind = kind
    self.isOptional = isOptional
    self.value = value
    self.evaluated = evaluated
  }

  private static func make<Optional: OptionalValue>(_ type: Optional.Type) throws -> Any {
    guard !(Optional.Wrapped.self is any OptionalValue.Type) else { throw nestedOptionalError }
    let wrapped = try ValueBridge<Optional.Wrapped>()
    return ValueBridge<Optional>(kind: wrapped.kind, isOptional: true) { value in
      Optional(wrapping: value.isNull ? nil : try wrapped.value(value))
    } evaluated: {
      try $0.wrappedValue.map(wrapped.evaluated) ?? .null
    }
  }

  private static func checkedStoredForm(
    _ coding: ScalarCoding<Value>, _ value: Value, _ kind: ValueKind
  ) throws -> EvaluatedValue {
    if let number = value as? any BinaryFloatingPoint, number.isNaN { return .null }
    let stored = try coding.stored(value)
    // An integer that exceeds a store's range would lose digits.
    if kind.isInteger, case .real = stored { throw PredicateFailure.overflow }
    return .stored(stored)
  }

  private static var nestedOptionalError: SwiftDataError {
    UnsupportedPredicate.because(
      "\(Value.self), an optional of an optional, isn't supported in a predicate. Use ?? or optional chaining before.")
  }
}

extension BinaryFloatingPoint {
  fileprivate var isNaN: Bool { self != self }
}

extension Lowering {
  /// Returns a term that calls a function of one argument.
  static func call<Argument, Result>(
    _ argument: Term, _ type: Argument.Type = Argument.self, mayFail: Bool = false,
    _ body: @escaping (Argument) throws -> Result
  ) throws -> Term {
    try rejectObject(argument, Argument.self)
    let (input, output) = (try ValueBridge<Argument>(), try ValueBridge<Result>())
    let call = SwiftCall(arguments: [argument], mayFail: mayFail) {
      try output.evaluated(body(input.value($0[0])))
    }
    return Term(.call(call), output.kind, isOptional: output.isOptional)
  }

  /// Returns a term that calls a function of two arguments.
  static func call<First, Second, Result>(
    _ first: Term, _ second: Term, mayFail: Bool = false, _ body: @escaping (First, Second) throws -> Result
  ) throws -> Term {
    try rejectObject(first, First.self)
    try rejectObject(second, Second.self)
    let (one, two, output) = (try ValueBridge<First>(), try ValueBridge<Second>(), try ValueBridge<Result>())
    let call = SwiftCall(arguments: [first, second], mayFail: mayFail) {
      try output.evaluated(body(one.value($0[0]), two.value($0[1])))
    }
    return Term(.call(call), output.kind, isOptional: output.isOptional)
  }

  /// Returns a term that calls a function of three arguments.
  static func call<First, Second, Third, Result>(
    _ first: Term, _ second: Term, _ third: Term, mayFail: Bool = false,
    _ body: @escaping (First, Second, Third) throws -> Result
  ) throws -> Term {
    try rejectObject(first, First.self)
    let (one, two, three) = (try ValueBridge<First>(), try ValueBridge<Second>(), try ValueBridge<Third>())
    let output = try ValueBridge<Result>()
    let call = SwiftCall(arguments: [first, second, third], mayFail: mayFail) {
      try output.evaluated(body(one.value($0[0]), two.value($0[1]), three.value($0[2])))
    }
    return Term(.call(call), output.kind, isOptional: output.isOptional)
  }
}
