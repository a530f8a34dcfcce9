import Foundation
import LarderSQLite
import LarderSupport

/// A coding of a type's values in one column.
struct ScalarCoding<Value> {
  let stored: (Value) throws -> _StoredValue
  /// Returns the value of a stored form; nil where there is none.
  let value: (_StoredValue) -> Value?
  let bind: (Value, Statement, Int32) throws -> Void

  /// Returns the coding of a standard scalar, of a type with a raw value, or of an optional of either; nil for other types.
  static func find() -> ScalarCoding<Value>? {
    if let column = Value.self as? any _ColumnValue.Type { return make(column) as? ScalarCoding<Value> }
    if let raw = Value.self as? any RawRepresentable.Type { return makeRaw(raw) as? ScalarCoding<Value> }
    if let optional = Value.self as? any OptionalValue.Type { return makeOptional(optional) as? ScalarCoding<Value> }
    if let piece = Value.self as? any TextPiece.Type { return makeText(piece) as? ScalarCoding<Value> }
    return nil
  }

  init(
    stored: @escaping (Value) throws -> _StoredValue, value: @escaping (_StoredValue) -> Value? = { _ in nil }
  ) {
    self.stored = stored
    self.value = value
    bind = { $1.bind($2, try stored($0)) }
  }

  private init(
    stored: @escaping (Value) throws -> _StoredValue, value: @escaping (_StoredValue) -> Value?,
    bind: @escaping (Value, Statement, Int32) -> Void
  ) {
    self.stored = stored
    self.value = value
    self.bind = bind
  }
}

extension ScalarCoding {
  private static func make<Scalar: _ColumnValue>(_ type: Scalar.Type) -> Any {
    switch type {
    // The two types of most look-ups by key are bound directly.
    case is String.Type:
      ScalarCoding<String>(stored: { .text($0) }, value: { String(_stored: $0) }, bind: { $1.bind($2, $0) })
    case is Int.Type:
      ScalarCoding<Int>(
        stored: { .integer(Int64($0)) }, value: { Int(_stored: $0) }, bind: { $1.bind($2, Int64($0)) })
    default: ScalarCoding<Scalar>(stored: storedScalar, value: { Scalar(_stored: $0) })
    }
  }

  private static func makeRaw<Raw: RawRepresentable>(_ type: Raw.Type) -> Any? {
    guard let coding = ScalarCoding<Raw.RawValue>.find() else { return nil }
    return ScalarCoding<Raw>(
      stored: { try coding.stored($0.rawValue) }, value: { coding.value($0).flatMap { Raw(rawValue: $0) } })
  }

  private static func makeOptional<Optional: OptionalValue>(_ type: Optional.Type) -> Any? {
    guard let coding = ScalarCoding<Optional.Wrapped>.find() else { return nil }
    return ScalarCoding<Optional>(
      stored: { try $0.wrappedValue.map(coding.stored) ?? .null },
      value: { stored in
        if stored == .null { return Optional(wrapping: nil) }
        return coding.value(stored).map { Optional(wrapping: $0) }
      })
  }

  private static func makeText<Piece: TextPiece>(_ type: Piece.Type) -> Any {
    ScalarCoding<Piece>(
      stored: { .text(String($0)) },
      value: { stored in if case .text(let text) = stored { Piece(text) } else { nil } })
  }
}

/// Parts of strings that cannot be columns, but that a predicate may search for in one.
private protocol TextPiece: LosslessStringConvertible {}
extension Substring: TextPiece {}
extension Character: TextPiece {}

private func storedScalar<Scalar: _ColumnValue>(_ value: Scalar) throws -> _StoredValue {
  do {
    return try value._stored()
  } catch {
    // No row can hold an integer that large, but a row's value may be compared with it; as a real number it is ordered
    // correctly.
    if let number = value as? any BinaryInteger { return .real(Double(number)) }
    throw PredicateFailure.captured(error.reason)
  }
}
