/// A decoder that passes a sample's members to a type, and records the calls in a `CodingTrace`.
struct ProbeDecoder: Decoder {
  let trace: CodingTrace
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    trace.openContainer()
    return KeyedDecodingContainer(Keyed<Key>(trace: trace))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw trace.recordMismatch() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw trace.recordMismatch() }

  struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let trace: CodingTrace
    var codingPath: [any CodingKey] { [] }

    // A type that reads `allKeys` before it decodes has a custom implementation.
    var allKeys: [Key] {
      _ = trace.recordMismatch()
      return []
    }

    func contains(_ key: Key) -> Bool {
      _ = trace.recordMismatch()
      return false
    }

    func decodeNil(forKey key: Key) throws -> Bool { throw trace.recordMismatch() }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try trace.step(type, key) }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
      try trace.step(T?.self, key)
    }

    // The library's overloads for these types would win over the generic one, and call `contains` before they decode.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try trace.step(Bool?.self, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try trace.step(String?.self, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try trace.step(Double?.self, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try trace.step(Float?.self, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try trace.step(Int?.self, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try trace.step(Int8?.self, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try trace.step(Int16?.self, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try trace.step(Int32?.self, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try trace.step(Int64?.self, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try trace.step(UInt?.self, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try trace.step(UInt8?.self, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try trace.step(UInt16?.self, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try trace.step(UInt32?.self, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try trace.step(UInt64?.self, key) }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
      throw trace.recordMismatch()
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw trace.recordMismatch() }
    func superDecoder() throws -> any Decoder { throw trace.recordMismatch() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw trace.recordMismatch() }
  }
}
