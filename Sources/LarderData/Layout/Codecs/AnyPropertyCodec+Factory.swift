extension _AnyPropertyCodec {
  /// The codec for a type, as the store prefers it; nil for a type that cannot be stored.
  package static func makeCodec(for type: any Any.Type) -> _AnyPropertyCodec? {
    if let scalar = type as? any _ColumnValue.Type { return CodecFactory.column(scalar) }
    if let optional = type as? any OptionalCoding.Type {
      return makeCodec(for: optional.codedType).flatMap { optional.codec(around: $0) }
    }
    if let raw = type as? any RawRepresentable.Type, let codec = CodecFactory.rawValue(raw) { return codec }
    guard let codable = type as? any Codable.Type else { return nil }
    return CompositeFields.codec(for: codable) ?? CodecFactory.json(codable)
  }

  /// The codec that keeps a value whole, through its own coding, as `@Attribute(.codable)` asks.
  package static func makeCodableCodec(for type: any Any.Type) -> _AnyPropertyCodec? {
    if let optional = type as? any OptionalCoding.Type {
      return makeCodableCodec(for: optional.codedType).flatMap { optional.codec(around: $0) }
    }
    return (type as? any Codable.Type).map { CodecFactory.json($0) }
  }

  /// The columns of a relationship. Its values are read and written by what stands in Relations.
  static func relationship(_ type: any Any.Type, columns: [CodecColumn]) -> _AnyPropertyCodec {
    func make<Value>(_ type: Value.Type) -> _AnyPropertyCodec { _PropertyCodec<Value>(columns: columns) }
    return make(type)
  }

  /// A codec that reads and writes nothing, for a property that a layout's problem is about: what `@Model` generated
  /// finds one of its own type there.
  static func placeholder(for type: any Any.Type) -> _AnyPropertyCodec {
    func make<Value>(_ type: Value.Type) -> _AnyPropertyCodec { _PropertyCodec<Value>(columns: []) }
    return make(type)
  }
}

/// Codecs of types that are known only as conforming to something.
private enum CodecFactory {
  static func column<Value: _ColumnValue>(_ type: Value.Type) -> _AnyPropertyCodec { ColumnCodec<Value>() }
  static func json<Value: Codable>(_ type: Value.Type) -> _AnyPropertyCodec { JSONCodec<Value>() }

  static func rawValue<Value: RawRepresentable>(_ type: Value.Type) -> _AnyPropertyCodec? {
    (RawValueType<Value>.self as? any RawValueCoding.Type)?.codec()
  }
}

/// Raw-value types whose raw values fit into a column: the condition is on an associated type, which a cast of the
/// type itself cannot ask for.
private enum RawValueType<Value: RawRepresentable> {}

private protocol RawValueCoding {
  static func codec() -> _AnyPropertyCodec
}

extension RawValueType: RawValueCoding where Value.RawValue: _ColumnValue {
  static func codec() -> _AnyPropertyCodec { RawValueCodec<Value>() }
}

protocol OptionalCoding {
  static var codedType: any Any.Type { get }
  static func codec(around codec: _AnyPropertyCodec) -> _AnyPropertyCodec?
}

extension Optional: OptionalCoding {
  static var codedType: any Any.Type { Wrapped.self }

  static func codec(around codec: _AnyPropertyCodec) -> _AnyPropertyCodec? {
    (codec as? _PropertyCodec<Wrapped>).map { OptionalCodec($0) }
  }
}
