import Foundation

/// An object as a keyed container.
struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let state: DecodingState
  /// The index of the object's entry.
  private let container: UInt32
  private let index: KeyIndex?

  init(_ state: DecodingState, _ value: TapeValue) throws {
    guard state.entry(value).kind == .object else { throw state.mismatch([String: Any].self, value) }
    self.state = state
    container = value.index
    index = state.makeIndex(value.index)
  }

  var codingPath: [any CodingKey] { state.codingPath(of: state.containerValue(container)) }

  var allKeys: [Key] {
    var keys: [Key] = []
    var seen: Set<String> = []
    state.forEachKey(container) { place in
      let text = state.key(at: place, in: container)
      // A repeated key is listed once, and so are two keys that Swift's `String` finds equal, since dictionaries compare strings.
      if seen.insert(text).inserted, let key = Key(stringValue: text) { keys.append(key) }
    }
    return keys
  }

  @inline(__always)
  private func find(_ key: some CodingKey) -> TapeValue? {
    guard let found = state.find(key.stringValue, in: container, index) else { return nil }
    return TapeValue(index: found, parent: container, position: 0)
  }

  @inline(__always)
  private func value(_ key: Key) throws -> TapeValue {
    guard let value = find(key) else { throw keyNotFound(key) }
    return value
  }

  /// Returns the value of a key, or `nil` if it is absent or null.
  @inline(__always)
  private func valueIfPresent(_ key: Key) -> TapeValue? {
    guard let value = find(key), !state.isNull(value) else { return nil }
    return value
  }

  @inline(never)
  private func keyNotFound(_ key: some CodingKey) -> DecodingError {
    let value = state.containerValue(container)
    var error = state.error(.keyNotFound, at: value)
    error.path.append(.key(key.stringValue))
    return .keyNotFound(
      key,
      state.context(
        state.codingPath(of: value), "No value associated with key \(key) (\"\(key.stringValue)\").", error))
  }

  // MARK: Values

  func contains(_ key: Key) -> Bool { find(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { state.isNull(try value(key)) }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try state.decode(type, try value(key))
  }
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try valueIfPresent(key).map { try state.decode(type, $0) }
  }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try state.bool(try value(key)) }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try valueIfPresent(key).map { try state.bool($0) }
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try state.string(try value(key)) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try valueIfPresent(key).map { try state.string($0) }
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try state.double(try value(key)) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try valueIfPresent(key).map { try state.double($0) }
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try state.float(try value(key)) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try valueIfPresent(key).map { try state.float($0) }
  }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try state.integer(try value(key)) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try valueIfPresent(key).map { try state.integer($0) }
  }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try state.integer(try value(key)) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try valueIfPresent(key).map { try state.integer($0) }
  }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try state.integer(try value(key)) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try valueIfPresent(key).map { try state.integer($0) }
  }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try state.integer(try value(key)) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try valueIfPresent(key).map { try state.integer($0) }
  }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try state.integer(try value(key)) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try valueIfPresent(key).map { try state.integer($0) }
  }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try state.integer(try value(key)) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try valueIfPresent(key).map { try state.integer($0) }
  }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try state.integer(try value(key)) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try valueIfPresent(key).map { try state.integer($0) }
  }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try state.integer(try value(key)) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try valueIfPresent(key).map { try state.integer($0) }
  }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try state.integer(try value(key)) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try valueIfPresent(key).map { try state.integer($0) }
  }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try state.integer(try value(key)) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try valueIfPresent(key).map { try state.integer($0) }
  }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try state.wideInteger(try value(key)) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
    try valueIfPresent(key).map { try state.wideInteger($0) }
  }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try state.wideInteger(try value(key)) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    try valueIfPresent(key).map { try state.wideInteger($0) }
  }

  // MARK: Containers

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<NestedKey>
  {
    KeyedDecodingContainer(try KeyedContainer<NestedKey>(state, try value(key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try UnkeyedContainer(state, try value(key))
  }

  func superDecoder() throws -> any Decoder { decoder(JSONPathKey.parent) }
  func superDecoder(forKey key: Key) throws -> any Decoder { decoder(key) }

  /// Returns the decoder for a key. An absent value counts as null, for superclasses.
  private func decoder(_ key: some CodingKey) -> ValueDecoder {
    ValueDecoder(state: state, value: find(key) ?? state.missingValue(key, in: container))
  }
}
