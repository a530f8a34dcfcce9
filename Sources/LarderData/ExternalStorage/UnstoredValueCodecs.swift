extension _AnyPropertyCodec {
  /// Returns a codec for a value that is never stored.
  static func makeUnstoredCodec(for type: any Any.Type) -> _AnyPropertyCodec {
    func make<Value>(_ type: Value.Type) -> _AnyPropertyCodec { UnstoredCodec<Value>() }
    return make(type)
  }

  /// Returns the codec for a single column: a scalar as itself, an enumeration by its raw value, any other value whole.
  static func makeSingleColumnCodec(for type: any Any.Type) -> _AnyPropertyCodec? {
    guard let codec = makeCodec(for: type) else { return nil }
    return codec.columns.count == 1 && codec.members == nil ? codec : makeCodableCodec(for: type)
  }
}

private final class UnstoredCodec<Value>: _PropertyCodec<Value> {
  init() { super.init(columns: []) }
  override func isSame(_ left: Value, _ right: Value) -> Bool { _$areEqual(left, right) }
}

/// The type of a value that may be nil. The type is tested, since a cast would unwrap the value.
protocol NilTestable {
  static func isNil<Value>(_ value: Value) -> Bool
}

extension Optional: NilTestable {
  static func isNil<Value>(_ value: Value) -> Bool {
    if case .some(.none) = value as? Self { true } else { false }
  }
}
