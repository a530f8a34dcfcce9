import Foundation

/// A JSON coding in which URLs are coded as in columns: relative URLs with their base. `JSONEncoder` alone writes each as its
/// absolute string.
///
/// For a type with a custom `Codable` implementation, this applies to the URLs that it encodes and decodes as `URL`.
enum RelativeURLCoding {
  struct Encoded<Value: Encodable>: Encodable {
    let value: Value
    func encode(to encoder: any Encoder) throws {
      guard let url = value as? URL else { return try value.encode(to: RelativeURLEncoder(encoder)) }
      var container = encoder.singleValueContainer()
      try container.encode(url._text)
    }
  }

  struct Decoded<Value: Decodable>: Decodable {
    let value: Value
    init(from decoder: any Decoder) throws {
      let own = RelativeURLDecoder(decoder)
      value = Value.self == URL.self ? try own.singleValueContainer().decode(Value.self) : try Value(from: own)
    }
  }

  /// Returns whether Foundation codes a type in a special form, without URLs inside.
  static func isExempt(_ type: any Any.Type) -> Bool { type == Data.self || type == Date.self || type == Decimal.self }

  static func url(_ text: String, _ path: [any CodingKey]) throws -> URL {
    if let url = URL(_text: text) { return url }
    throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: "Invalid URL string."))
  }
}

// MARK: - Encoding

private struct RelativeURLEncoder: Encoder {
  let base: any Encoder
  init(_ base: any Encoder) { self.base = base }

  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RelativeURLKeyedEncodingContainer(base: base.container(keyedBy: type)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    RelativeURLUnkeyedEncodingContainer(base: base.unkeyedContainer())
  }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    RelativeURLSingleValueEncodingContainer(base: base.singleValueContainer())
  }
}

private struct RelativeURLKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var base: KeyedEncodingContainer<Key>
  var codingPath: [any CodingKey] { base.codingPath }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    if let url = value as? URL { return try base.encode(url._text, forKey: key) }
    if RelativeURLCoding.isExempt(Value.self) { return try base.encode(value, forKey: key) }
    try base.encode(RelativeURLCoding.Encoded(value: value), forKey: key)
  }

  mutating func encodeNil(forKey key: Key) throws { try base.encodeNil(forKey: key) }
  mutating func encode(_ value: Bool, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: String, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: Double, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: Float, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: Int, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: Int8, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: Int16, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: Int32, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: Int64, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: UInt, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: UInt8, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: UInt16, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: UInt32, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: UInt64, forKey key: Key) throws { try base.encode(value, forKey: key) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  mutating func encode(_ value: Int128, forKey key: Key) throws { try base.encode(value, forKey: key) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  mutating func encode(_ value: UInt128, forKey key: Key) throws { try base.encode(value, forKey: key) }

  mutating func nestedContainer<Nested>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(
      RelativeURLKeyedEncodingContainer<Nested>(base: base.nestedContainer(keyedBy: type, forKey: key)))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    RelativeURLUnkeyedEncodingContainer(base: base.nestedUnkeyedContainer(forKey: key))
  }

  mutating func superEncoder() -> any Encoder { RelativeURLEncoder(base.superEncoder()) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { RelativeURLEncoder(base.superEncoder(forKey: key)) }
}

private struct RelativeURLUnkeyedEncodingContainer: UnkeyedEncodingContainer {
  var base: any UnkeyedEncodingContainer
  var codingPath: [any CodingKey] { base.codingPath }
  var count: Int { base.count }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    if let url = value as? URL { return try base.encode(url._text) }
    if RelativeURLCoding.isExempt(Value.self) { return try base.encode(value) }
    try base.encode(RelativeURLCoding.Encoded(value: value))
  }

  mutating func encodeNil() throws { try base.encodeNil() }
  mutating func encode(_ value: Bool) throws { try base.encode(value) }
  mutating func encode(_ value: String) throws { try base.encode(value) }
  mutating func encode(_ value: Double) throws { try base.encode(value) }
  mutating func encode(_ value: Float) throws { try base.encode(value) }
  mutating func encode(_ value: Int) throws { try base.encode(value) }
  mutating func encode(_ value: Int8) throws { try base.encode(value) }
  mutating func encode(_ value: Int16) throws { try base.encode(value) }
  mutating func encode(_ value: Int32) throws { try base.encode(value) }
  mutating func encode(_ value: Int64) throws { try base.encode(value) }
  mutating func encode(_ value: UInt) throws { try base.encode(value) }
  mutating func encode(_ value: UInt8) throws { try base.encode(value) }
  mutating func encode(_ value: UInt16) throws { try base.encode(value) }
  mutating func encode(_ value: UInt32) throws { try base.encode(value) }
  mutating func encode(_ value: UInt64) throws { try base.encode(value) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  mutating func encode(_ value: Int128) throws { try base.encode(value) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  mutating func encode(_ value: UInt128) throws { try base.encode(value) }

  mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RelativeURLKeyedEncodingContainer<Nested>(base: base.nestedContainer(keyedBy: type)))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    RelativeURLUnkeyedEncodingContainer(base: base.nestedUnkeyedContainer())
  }

  mutating func superEncoder() -> any Encoder { RelativeURLEncoder(base.superEncoder()) }
}

private struct RelativeURLSingleValueEncodingContainer: SingleValueEncodingContainer {
  var base: any SingleValueEncodingContainer
  var codingPath: [any CodingKey] { base.codingPath }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    if let url = value as? URL { return try base.encode(url._text) }
    if RelativeURLCoding.isExempt(Value.self) { return try base.encode(value) }
    try base.encode(RelativeURLCoding.Encoded(value: value))
  }

  mutating func encodeNil() throws { try base.encodeNil() }
  mutating func encode(_ value: Bool) throws { try base.encode(value) }
  mutating func encode(_ value: String) throws { try base.encode(value) }
  mutating func encode(_ value: Double) throws { try base.encode(value) }
  mutating func encode(_ value: Float) throws { try base.encode(value) }
  mutating func encode(_ value: Int) throws { try base.encode(value) }
  mutating func encode(_ value: Int8) throws { try base.encode(value) }
  mutating func encode(_ value: Int16) throws { try base.encode(value) }
  mutating func encode(_ value: Int32) throws { try base.encode(value) }
  mutating func encode(_ value: Int64) throws { try base.encode(value) }
  mutating func encode(_ value: UInt) throws { try base.encode(value) }
  mutating func encode(_ value: UInt8) throws { try base.encode(value) }
  mutating func encode(_ value: UInt16) throws { try base.encode(value) }
  mutating func encode(_ value: UInt32) throws { try base.encode(value) }
  mutating func encode(_ value: UInt64) throws { try base.encode(value) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  mutating func encode(_ value: Int128) throws { try base.encode(value) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  mutating func encode(_ value: UInt128) throws { try base.encode(value) }
}
