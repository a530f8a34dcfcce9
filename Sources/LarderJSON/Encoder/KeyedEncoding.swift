import Foundation

/// The keyed container of an object that is being encoded.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  /// Sets the value of a key, and replaces an earlier one.
  private func set(_ tree: JSONTree, _ name: String) {
    guard case .object(var values) = encoder.tree.content else { return }
    // Prevents a copy of the dictionary.
    encoder.tree.content = .nothing
    values[name] = tree
    encoder.tree.content = .object(values)
  }

  /// Encodes the value of a key. If that fails, the object keeps its earlier value.
  private func set(_ key: any CodingKey, _ encode: (ValueEncoder) throws -> Void) rethrows {
    let tree = JSONTree()
    try encode(encoder.nestedEncoder(tree, key))
    set(tree, name(key))
  }

  /// Returns an encoder for a key's value, which is encoded in several steps.
  private func insertEncoder(_ key: any CodingKey, name: String? = nil) -> ValueEncoder {
    let tree = JSONTree()
    set(tree, name ?? self.name(key))
    return encoder.nestedEncoder(tree, key)
  }

  /// Returns the encoder of a key, which continues a value that was begun.
  private func findOrInsertEncoder(for key: any CodingKey) -> ValueEncoder {
    let name = name(key)
    if case .object(let values) = encoder.tree.content, let tree = values[name] {
      return encoder.nestedEncoder(tree, key)
    }
    return insertEncoder(key, name: name)
  }

  private func name(_ key: any CodingKey) -> String {
    switch encoder.options.key {
    case .useDefaultKeys: key.stringValue
    case .convertToSnakeCase: SnakeCase.snakeCase(key.stringValue)
    case .custom(let convert): convert(encoder.codingPath + [key]).stringValue
    @unknown default: key.stringValue
    }
  }

  func encodeNil(forKey key: Key) { set(key) { $0.encodeNil() } }
  func encode(_ value: Bool, forKey key: Key) { set(key) { $0.encode(value) } }
  func encode(_ value: String, forKey key: Key) { set(key) { $0.encode(value) } }
  func encode(_ value: Double, forKey key: Key) throws { try set(key) { try $0.encode(value) } }
  func encode(_ value: Float, forKey key: Key) throws { try set(key) { try $0.encode(value) } }
  func encode(_ value: Int, forKey key: Key) { set(key) { $0.encode(value) } }
  func encode(_ value: Int8, forKey key: Key) { set(key) { $0.encode(value) } }
  func encode(_ value: Int16, forKey key: Key) { set(key) { $0.encode(value) } }
  func encode(_ value: Int32, forKey key: Key) { set(key) { $0.encode(value) } }
  func encode(_ value: Int64, forKey key: Key) { set(key) { $0.encode(value) } }
  func encode(_ value: UInt, forKey key: Key) { set(key) { $0.encode(value) } }
  func encode(_ value: UInt8, forKey key: Key) { set(key) { $0.encode(value) } }
  func encode(_ value: UInt16, forKey key: Key) { set(key) { $0.encode(value) } }
  func encode(_ value: UInt32, forKey key: Key) { set(key) { $0.encode(value) } }
  func encode(_ value: UInt64, forKey key: Key) { set(key) { $0.encode(value) } }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: Int128, forKey key: Key) { set(key) { $0.encode(value) } }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: UInt128, forKey key: Key) { set(key) { $0.encode(value) } }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try set(key) { try $0.encode(value) } }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key)
    -> KeyedEncodingContainer<NestedKey>
  {
    findOrInsertEncoder(for: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    findOrInsertEncoder(for: key).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { insertEncoder(JSONPathKey.parent) }
  func superEncoder(forKey key: Key) -> any Encoder { insertEncoder(key) }
}
