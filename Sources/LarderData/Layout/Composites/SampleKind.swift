/// The values that a type's coding is tried on, and what stands in for a value that cannot be read.
enum SampleKind {
  /// Zeros, empty texts, nil.
  case zero
  /// nil where that may be; else small numbers and short texts, which a type that checks its values accepts if any: many
  /// a one ends the program for a zero or an empty text.
  case withNil
  /// The same, and no nil.
  case withoutNil

  /// What a type's coding is tried on.
  static let probeKinds = [SampleKind.withNil, .withoutNil]

  /// A value of a scalar type.
  func value<Value: _ColumnValue>() -> Value? {
    if self == .zero || Value._isOptional && self == .withNil { return Value._zero }
    let candidates: [_StoredValue] = [
      .integer(1), .real(1), .text("1"), .text("00000000-0000-4000-8000-000000000001"), .blob([1]),
    ]
    return candidates.lazy.filter { $0.matches(Value._columnType) }.compactMap { Value(_stored: $0) }.first
  }
}

extension _StoredValue {
  fileprivate func matches(_ type: _ColumnType) -> Bool {
    switch self {
    case .null: false
    case .integer: type == .integer
    case .real: type == .real
    case .text: type == .text
    case .blob: type == .blob
    }
  }
}
