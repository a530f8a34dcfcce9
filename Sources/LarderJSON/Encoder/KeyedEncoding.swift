import Foundation

/// An object that is being encoded.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  /// An encoder for a key's value, which takes the place of an earlier one.
  private func value(_ key: any CodingKey) -> ValueEncoder {
    let tree = JSONTree()
    guard case .object(var values) = encoder.tree.content else { return encoder.inner(tree, key) }
    // Lest the dictionary be copied.
    encoder.tree.content = .nothing
    values[name(key)] = tree
    encoder.tree.content = .object(values)
    return encoder.inner(tree, key)
  }

  /// One that was begun goes on.
  private func container(_ key: any CodingKey) -> ValueEncoder {
    if case .object(let values) = encoder.tree.content, let tree = values[name(key)] { return encoder.inner(tree, key) }
    return value(key)
  }

  private func name(_ key: any CodingKey) -> String {
    switch encoder.options.key {
    case .useDefaultKeys: key.stringValue
    case .convertToSnakeCase: SnakeCase.snakeCase(key.stringValue)
    case .custom(let convert): convert(encoder.codingPath + [key]).stringValue
    @unknown default: key.stringValue
    }
  }

  func encodeNil(forKey key: Key) { value(key).encodeNil() }
  func encode(_ value: Bool, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: String, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: Double, forKey key: Key) throws { try self.value(key).encode(value) }
  func encode(_ value: Float, forKey key: Key) throws { try self.value(key).encode(value) }
  func encode(_ value: Int, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: Int8, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: Int16, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: Int32, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: Int64, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: UInt, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: UInt8, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: UInt16, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: UInt32, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: UInt64, forKey key: Key) { self.value(key).encode(value) }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try self.value(key).encode(value) }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key)
    -> KeyedEncodingContainer<NestedKey>
  {
    container(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { container(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { value(JSONPathKey.parent) }
  func superEncoder(forKey key: Key) -> any Encoder { value(key) }
}
