/// The values for probing a type's coding, and for replacing a value that cannot be read.
enum SampleKind {
  /// Zeros, empty strings, nil.
  case zero
  /// nil where possible; otherwise small numbers and short strings, which a type with validation is most likely to accept.
  /// Many such types crash on a zero or an empty string.
  case withNil
  /// The same, without nil.
  case withoutNil

  /// The samples for probing a type's coding.
  static let probeKinds = [SampleKind.withNil, .withoutNil]

  /// Returns a sample of a scalar type.
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
