import Foundation

/// The decoder that a type decodes itself from. Its 24 bytes fit in an existential, so it is never allocated.
struct ValueDecoder: Decoder {
  let state: DecodingState
  let value: TapeValue

  var codingPath: [any CodingKey] { state.codingPath(of: value) }
  var userInfo: [CodingUserInfoKey: Any] { state.options.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try KeyedContainer<Key>(state, value))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try UnkeyedContainer(state, value) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension ValueDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { state.isNull(value) }
  func decode(_ type: Bool.Type) throws -> Bool { try state.bool(value) }
  func decode(_ type: String.Type) throws -> String { try state.string(value) }
  func decode(_ type: Double.Type) throws -> Double { try state.double(value) }
  func decode(_ type: Float.Type) throws -> Float { try state.float(value) }
  func decode(_ type: Int.Type) throws -> Int { try state.integer(value) }
  func decode(_ type: Int8.Type) throws -> Int8 { try state.integer(value) }
  func decode(_ type: Int16.Type) throws -> Int16 { try state.integer(value) }
  func decode(_ type: Int32.Type) throws -> Int32 { try state.integer(value) }
  func decode(_ type: Int64.Type) throws -> Int64 { try state.integer(value) }
  func decode(_ type: UInt.Type) throws -> UInt { try state.integer(value) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try state.integer(value) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try state.integer(value) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try state.integer(value) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try state.integer(value) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func decode(_ type: Int128.Type) throws -> Int128 { try state.wideInteger(value) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func decode(_ type: UInt128.Type) throws -> UInt128 { try state.wideInteger(value) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try state.decode(type, value) }
}
