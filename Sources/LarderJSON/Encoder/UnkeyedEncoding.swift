import Foundation

/// An array that is being encoded.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  var count: Int {
    guard case .array(let elements) = encoder.tree.content else { return 0 }
    return elements.count
  }

  /// An encoder for another element.
  private func element() -> ValueEncoder {
    let tree = JSONTree()
    guard case .array(var elements) = encoder.tree.content else {
      return encoder.inner(tree, JSONPathKey(intValue: 0))
    }
    // Lest the array be copied.
    encoder.tree.content = .nothing
    elements.append(tree)
    encoder.tree.content = .array(elements)
    return encoder.inner(tree, JSONPathKey(intValue: elements.count - 1))
  }

  func encodeNil() { element().encodeNil() }
  func encode(_ value: Bool) { element().encode(value) }
  func encode(_ value: String) { element().encode(value) }
  func encode(_ value: Double) throws { try element().encode(value) }
  func encode(_ value: Float) throws { try element().encode(value) }
  func encode(_ value: Int) { element().encode(value) }
  func encode(_ value: Int8) { element().encode(value) }
  func encode(_ value: Int16) { element().encode(value) }
  func encode(_ value: Int32) { element().encode(value) }
  func encode(_ value: Int64) { element().encode(value) }
  func encode(_ value: UInt) { element().encode(value) }
  func encode(_ value: UInt8) { element().encode(value) }
  func encode(_ value: UInt16) { element().encode(value) }
  func encode(_ value: UInt32) { element().encode(value) }
  func encode(_ value: UInt64) { element().encode(value) }
  func encode<Value: Encodable>(_ value: Value) throws { try element().encode(value) }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    element().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
  func superEncoder() -> any Encoder { element() }
}
