import Foundation

/// The decoding half of ``RelativeURLCoding``.
struct RelativeURLDecoder: Decoder {
  let base: any Decoder
  init(_ base: any Decoder) { self.base = base }

  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RelativeURLKeyedDecodingContainer(base: try base.container(keyedBy: type)))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    RelativeURLUnkeyedDecodingContainer(base: try base.unkeyedContainer())
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    RelativeURLSingleValueDecodingContainer(base: try base.singleValueContainer())
  }
}

private struct RelativeURLKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let base: KeyedDecodingContainer<Key>
  var codingPath: [any CodingKey] { base.codingPath }
  var allKeys: [Key] { base.allKeys }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    if type == URL.self,
      let url = try RelativeURLCoding.url(base.decode(String.self, forKey: key), codingPath + [key]) as? Value
    {
      return url
    }
    if RelativeURLCoding.isExempt(type) { return try base.decode(type, forKey: key) }
    return try base.decode(RelativeURLCoding.Decoded<Value>.self, forKey: key).value
  }

  func contains(_ key: Key) -> Bool { base.contains(key) }
  func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try base.decode(type, forKey: key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try base.decode(type, forKey: key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try base.decode(type, forKey: key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try base.decode(type, forKey: key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try base.decode(type, forKey: key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try base.decode(type, forKey: key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try base.decode(type, forKey: key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try base.decode(type, forKey: key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try base.decode(type, forKey: key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try base.decode(type, forKey: key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try base.decode(type, forKey: key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try base.decode(type, forKey: key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try base.decode(type, forKey: key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try base.decode(type, forKey: key) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try base.decode(type, forKey: key) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try base.decode(type, forKey: key) }

  func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(
      RelativeURLKeyedDecodingContainer<Nested>(base: try base.nestedContainer(keyedBy: type, forKey: key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    RelativeURLUnkeyedDecodingContainer(base: try base.nestedUnkeyedContainer(forKey: key))
  }

  func superDecoder() throws -> any Decoder { RelativeURLDecoder(try base.superDecoder()) }
  func superDecoder(forKey key: Key) throws -> any Decoder { RelativeURLDecoder(try base.superDecoder(forKey: key)) }
}

private struct RelativeURLUnkeyedDecodingContainer: UnkeyedDecodingContainer {
  var base: any UnkeyedDecodingContainer
  var codingPath: [any CodingKey] { base.codingPath }
  var count: Int? { base.count }
  var isAtEnd: Bool { base.isAtEnd }
  var currentIndex: Int { base.currentIndex }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if type == URL.self, let url = try RelativeURLCoding.url(base.decode(String.self), codingPath) as? Value {
      return url
    }
    if RelativeURLCoding.isExempt(type) { return try base.decode(type) }
    return try base.decode(RelativeURLCoding.Decoded<Value>.self).value
  }

  mutating func decodeNil() throws -> Bool { try base.decodeNil() }
  mutating func decode(_ type: Bool.Type) throws -> Bool { try base.decode(type) }
  mutating func decode(_ type: String.Type) throws -> String { try base.decode(type) }
  mutating func decode(_ type: Double.Type) throws -> Double { try base.decode(type) }
  mutating func decode(_ type: Float.Type) throws -> Float { try base.decode(type) }
  mutating func decode(_ type: Int.Type) throws -> Int { try base.decode(type) }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try base.decode(type) }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try base.decode(type) }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try base.decode(type) }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try base.decode(type) }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try base.decode(type) }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try base.decode(type) }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try base.decode(type) }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try base.decode(type) }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try base.decode(type) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try base.decode(type) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try base.decode(type) }

  mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(RelativeURLKeyedDecodingContainer<Nested>(base: try base.nestedContainer(keyedBy: type)))
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    RelativeURLUnkeyedDecodingContainer(base: try base.nestedUnkeyedContainer())
  }

  mutating func superDecoder() throws -> any Decoder { RelativeURLDecoder(try base.superDecoder()) }
}

private struct RelativeURLSingleValueDecodingContainer: SingleValueDecodingContainer {
  let base: any SingleValueDecodingContainer
  var codingPath: [any CodingKey] { base.codingPath }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if type == URL.self, let url = try RelativeURLCoding.url(base.decode(String.self), codingPath) as? Value {
      return url
    }
    if RelativeURLCoding.isExempt(type) { return try base.decode(type) }
    return try base.decode(RelativeURLCoding.Decoded<Value>.self).value
  }

  func decodeNil() -> Bool { base.decodeNil() }
  func decode(_ type: Bool.Type) throws -> Bool { try base.decode(type) }
  func decode(_ type: String.Type) throws -> String { try base.decode(type) }
  func decode(_ type: Double.Type) throws -> Double { try base.decode(type) }
  func decode(_ type: Float.Type) throws -> Float { try base.decode(type) }
  func decode(_ type: Int.Type) throws -> Int { try base.decode(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try base.decode(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try base.decode(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try base.decode(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try base.decode(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try base.decode(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try base.decode(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try base.decode(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try base.decode(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try base.decode(type) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func decode(_ type: Int128.Type) throws -> Int128 { try base.decode(type) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func decode(_ type: UInt128.Type) throws -> UInt128 { try base.decode(type) }
}
