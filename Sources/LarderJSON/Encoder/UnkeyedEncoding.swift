import Foundation

/// The unkeyed container of an array that is being encoded.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  var count: Int {
    guard case .array(let elements) = encoder.tree.content else { return 0 }
    return elements.count
  }

  private func append(_ tree: JSONTree) {
    guard case .array(var elements) = encoder.tree.content else { return }
    // Prevents a copy of the array.
    encoder.tree.content = .nothing
    elements.append(tree)
    encoder.tree.content = .array(elements)
  }

  /// Encodes and appends an element. An element whose encoding fails is left out.
  private func append(_ encode: (ValueEncoder) throws -> Void) rethrows {
    let tree = JSONTree()
    try encode(encoder.nestedEncoder(tree, JSONPathKey(intValue: count)))
    append(tree)
  }

  /// Returns an encoder for another element, which is encoded in several steps.
  private func appendEncoder() -> ValueEncoder {
    let part = encoder.nestedEncoder(JSONTree(), JSONPathKey(intValue: count))
    append(part.tree)
    return part
  }

  func encodeNil() { append { $0.encodeNil() } }
  func encode(_ value: Bool) { append { $0.encode(value) } }
  func encode(_ value: String) { append { $0.encode(value) } }
  func encode(_ value: Double) throws { try append { try $0.encode(value) } }
  func encode(_ value: Float) throws { try append { try $0.encode(value) } }
  func encode(_ value: Int) { append { $0.encode(value) } }
  func encode(_ value: Int8) { append { $0.encode(value) } }
  func encode(_ value: Int16) { append { $0.encode(value) } }
  func encode(_ value: Int32) { append { $0.encode(value) } }
  func encode(_ value: Int64) { append { $0.encode(value) } }
  func encode(_ value: UInt) { append { $0.encode(value) } }
  func encode(_ value: UInt8) { append { $0.encode(value) } }
  func encode(_ value: UInt16) { append { $0.encode(value) } }
  func encode(_ value: UInt32) { append { $0.encode(value) } }
  func encode(_ value: UInt64) { append { $0.encode(value) } }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: Int128) { append { $0.encode(value) } }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: UInt128) { append { $0.encode(value) } }
  func encode<Value: Encodable>(_ value: Value) throws { try append { try $0.encode(value) } }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    appendEncoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { appendEncoder().unkeyedContainer() }
  func superEncoder() -> any Encoder { appendEncoder() }
}
