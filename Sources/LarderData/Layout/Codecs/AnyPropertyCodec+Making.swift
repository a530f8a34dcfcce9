extension AnyPropertyCodec {
  /// The codec for a type, as the store prefers it; nil for a type that cannot be stored.
  package static func makeCodec(for type: any Any.Type) -> AnyPropertyCodec? {
    if let scalar = type as? any ColumnValue.Type { return CodecMaking.column(scalar) }
    if let optional = type as? any OptionalCoding.Type {
      return makeCodec(for: optional.codedType).flatMap { optional.codec(around: $0) }
    }
    if let raw = type as? any RawRepresentable.Type, let codec = CodecMaking.rawValue(raw) { return codec }
    guard let codable = type as? any Codable.Type else { return nil }
    return CompositeFields.codec(for: codable) ?? CodecMaking.json(codable)
  }

  /// The codec that keeps a value whole, through its own coding, as `@Attribute(.codable)` asks.
  package static func makeWholeCodec(for type: any Any.Type) -> AnyPropertyCodec? {
    if let optional = type as? any OptionalCoding.Type {
      return makeWholeCodec(for: optional.codedType).flatMap { optional.codec(around: $0) }
    }
    return (type as? any Codable.Type).map { CodecMaking.json($0) }
  }

  /// The columns of a relationship. Its values are read and written by what stands in Relations.
  static func relation(_ type: any Any.Type, columns: [CodecColumn]) -> AnyPropertyCodec {
    func make<Value>(_ type: Value.Type) -> AnyPropertyCodec { PropertyCodec<Value>(columns: columns) }
    return make(type)
  }

  /// A codec that reads and writes nothing, for a property that a layout's problem is about: what `@Model` generated
  /// finds one of its own type there.
  static func placeholder(for type: any Any.Type) -> AnyPropertyCodec {
    func make<Value>(_ type: Value.Type) -> AnyPropertyCodec { PropertyCodec<Value>(columns: []) }
    return make(type)
  }
}

/// Codecs of types that are known only as conforming to something.
private enum CodecMaking {
  static func column<Value: ColumnValue>(_ type: Value.Type) -> AnyPropertyCodec { ColumnCodec<Value>() }
  static func json<Value: Codable>(_ type: Value.Type) -> AnyPropertyCodec { JSONCodec<Value>() }

  static func rawValue<Value: RawRepresentable>(_ type: Value.Type) -> AnyPropertyCodec? {
    (RawValueType<Value>.self as? any RawValueCoding.Type)?.codec()
  }
}

/// Raw-value types whose raw values fit into a column: the condition is on an associated type, which a cast of the
/// type itself cannot ask for.
private enum RawValueType<Value: RawRepresentable> {}

private protocol RawValueCoding {
  static func codec() -> AnyPropertyCodec
}

extension RawValueType: RawValueCoding where Value.RawValue: ColumnValue {
  static func codec() -> AnyPropertyCodec { RawValueCodec<Value>() }
}

protocol OptionalCoding {
  static var codedType: any Any.Type { get }
  static func codec(around codec: AnyPropertyCodec) -> AnyPropertyCodec?
}

extension Optional: OptionalCoding {
  static var codedType: any Any.Type { Wrapped.self }

  static func codec(around codec: AnyPropertyCodec) -> AnyPropertyCodec? {
    (codec as? PropertyCodec<Wrapped>).map { OptionalCodec($0) }
  }
}
