/// An encoder that records in a `CodingTrace` how a type encodes itself.
struct ProbeEncoder: Encoder {
  let trace: CodingTrace
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    trace.openContainer()
    return KeyedEncodingContainer(Keyed<Key>(trace: trace))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    _ = trace.recordMismatch()
    return RejectingContainer(trace: trace)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    _ = trace.recordMismatch()
    return RejectingContainer(trace: trace)
  }
}

extension ProbeEncoder {
  struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let trace: CodingTrace
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { throw trace.recordMismatch() }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try trace.step(value, key) }
    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try trace.step(value, key) }

    // The library's overloads for these types would win over the generic one, and omit nil.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try trace.step(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try trace.step(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try trace.step(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try trace.step(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try trace.step(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try trace.step(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try trace.step(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try trace.step(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try trace.step(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try trace.step(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try trace.step(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try trace.step(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try trace.step(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try trace.step(value, key) }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
      _ = trace.recordMismatch()
      return KeyedEncodingContainer(Keyed<NestedKey>(trace: trace))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      _ = trace.recordMismatch()
      return RejectingContainer(trace: trace)
    }

    func superEncoder() -> any Encoder {
      _ = trace.recordMismatch()
      return ProbeEncoder(trace: trace)
    }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
  }

  /// A container for calls that the compiler's implementation never makes; it rejects every value.
  struct RejectingContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let trace: CodingTrace
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() throws { throw trace.recordMismatch() }
    func encode<T: Encodable>(_ value: T) throws { throw trace.recordMismatch() }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
      KeyedEncodingContainer(Keyed<NestedKey>(trace: trace))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { ProbeEncoder(trace: trace) }
  }
}
