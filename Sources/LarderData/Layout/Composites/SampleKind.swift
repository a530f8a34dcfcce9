/// The values that a type's coding is tried on.
enum SampleKind: CaseIterable {
  /// Zeros, empty texts, nil.
  case zero
  /// Anything else. Small numbers, so that what checks its values when decoded accepts them.
  case other

  /// A value of a scalar type.
  func value<Value: ColumnValue>() -> Value? {
    guard self == .other else { return Value._zero }
    let candidates: [StoredValue] = [
      .integer(1), .real(1), .text("1"), .text("00000000-0000-4000-8000-000000000001"), .blob([1]),
    ]
    return candidates.lazy.filter { $0.isOf(Value._columnType) }.compactMap { Value(_stored: $0) }.first
  }
}

extension StoredValue {
  fileprivate func isOf(_ type: ColumnType) -> Bool {
    switch self {
    case .null: false
    case .integer: type == .integer
    case .real: type == .real
    case .text: type == .text
    case .blob: type == .blob
    }
  }
}
