import LarderSQLite

/// The source of a bound value: its loading and its binding.
struct ParameterSource {
  let load: (ExpressionMemory) throws -> ParameterValue
  let bind: (ExpressionMemory, Statement, Int32) throws -> Void

  init<Value>(_ load: CaptureLoader<Value>, _ coding: ScalarCoding<Value>) {
    self.load = { .scalar(try coding.stored(load($0))) }
    bind = { try coding.bind(load($0), $1, $2) }
  }

  /// Creates a source that computes a value from others.
  init(_ load: @escaping (ExpressionMemory) throws -> _StoredValue) {
    self.load = { .scalar(try load($0)) }
    bind = { $1.bind($2, try load($0)) }
  }

  /// A source for a parameter that is not used.
  static var none: ParameterSource { ParameterSource { _ in .null } }

  /// Creates a source of a value for the evaluator only.
  init<Value>(evaluated load: CaptureLoader<Value>) {
    self.load = { .swift(CapturedStructure(try load($0))) }
    bind = { _, statement, index in statement.bind(index, _StoredValue.null) }
  }

  /// Creates a source of a list for ``TermOperation/isMember(_:list:)``.
  init<Values: Sequence>(list: CaptureLoader<Values>, _ coding: ScalarCoding<Values.Element>, type: _ColumnType) {
    let load = list.map { values in
      var stored: Set<_StoredValue> = []
      for value in values {
        do {
          stored.insert(try coding.stored(value))
        } catch PredicateFailure.captured {
          // A value that no row can hold, such as NaN, equals no row's value.
          continue
        }
      }
      return stored
    }
    self.load = { .list(try load($0)) }
    bind = { $1.bind($2, ParameterValue.array(of: try load($0), type)) }
  }
}

/// A captured value in the form that the evaluator compares.
package enum ParameterValue: Hashable, Sendable {
  case scalar(_StoredValue)
  case list(Set<_StoredValue>)
  case swift(CapturedStructure)

  /// Returns the values as a table for SQL, without nil and without values that can equal no value of the column.
  static func array(of values: Set<_StoredValue>, _ type: _ColumnType) -> BoundValues {
    switch type {
    case .integer:
      BoundValues(values.compactMap { if case .integer(let value) = $0 { value } else { nil as Int64? } })
    case .real: BoundValues(values.compactMap { if case .real(let value) = $0 { value } else { nil as Double? } })
    case .text: BoundValues(values.compactMap { if case .text(let value) = $0 { value } else { nil as String? } })
    case .blob: BoundValues(values.compactMap { if case .blob(let value) = $0 { Optional(value) } else { nil } })
    }
  }
}

/// A captured value that is not a scalar, in the evaluator's form.
// @unchecked: predicates capture Sendable values only.
package struct CapturedStructure: Hashable, @unchecked Sendable {
  let value: EvaluatedValue

  init<Value>(_ value: Value) { self.value = OptionalFlattening.flat(value) }

  /// Returns whether the values are equal, or have the same JSON.
  package static func == (left: CapturedStructure, right: CapturedStructure) -> Bool {
    switch (left.value, right.value) {
    case (.swift(let left), .swift(let right)):
      if let left = left as? any Equatable { return left.isSame(as: right) }
      guard let left = left as? any Encodable, let right = right as? any Encodable else { return false }
      guard let one = try? StoredJSON.encode(left), let other = try? StoredJSON.encode(right) else { return false }
      return one == other
    case (.stored(let left), .stored(let right)): return left == right
    default: return false
    }
  }

  package func hash(into hasher: inout Hasher) {
    if case .swift(let value) = value, let hashable = value as? any Hashable { hashable.hash(into: &hasher) }
  }
}

extension Equatable {
  fileprivate func isSame(as other: Any) -> Bool { other as? Self == self }
}
