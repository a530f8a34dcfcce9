import Foundation

/// The encoder that a type encodes itself to: a node of the tree.
struct ValueEncoder: Encoder {
  let options: EncodingOptions
  let tree: JSONTree
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object = tree.content {} else { tree.content = .object([:]) }
    return KeyedEncodingContainer(KeyedEncoding<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .array = tree.content {} else { tree.content = .array([]) }
    return UnkeyedEncoding(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// Returns an encoder for a part of this value.
  func nestedEncoder(_ tree: JSONTree, _ key: any CodingKey) -> ValueEncoder {
    ValueEncoder(options: options, tree: tree, codingPath: codingPath + [key])
  }

  func setScalar(_ text: String) { tree.content = .scalar(Array(text.utf8)) }
}

extension ValueEncoder: SingleValueEncodingContainer {
  func encodeNil() { setScalar("null") }
  func encode(_ value: Bool) { setScalar(value ? "true" : "false") }
  func encode(_ value: Int) { setScalar(String(value)) }
  func encode(_ value: Int8) { setScalar(String(value)) }
  func encode(_ value: Int16) { setScalar(String(value)) }
  func encode(_ value: Int32) { setScalar(String(value)) }
  func encode(_ value: Int64) { setScalar(String(value)) }
  func encode(_ value: UInt) { setScalar(String(value)) }
  func encode(_ value: UInt8) { setScalar(String(value)) }
  func encode(_ value: UInt16) { setScalar(String(value)) }
  func encode(_ value: UInt32) { setScalar(String(value)) }
  func encode(_ value: UInt64) { setScalar(String(value)) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: Int128) { setScalar(String(value)) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: UInt128) { setScalar(String(value)) }
  func encode(_ value: Double) throws { try encodeNumber(value) }
  func encode(_ value: Float) throws { try encodeNumber(value) }

  func encode(_ value: String) {
    var bytes: [UInt8] = []
    JSONScalarFormatter.append(value, to: &bytes)
    tree.content = .scalar(bytes)
  }

  private func encodeNumber<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ value: Number) throws {
    if value.isFinite {
      tree.content = .scalar(JSONScalarFormatter.number(value))
      return
    }
    guard case .convertToString(let positive, let negative, let nan) = options.float else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: codingPath,
          debugDescription: "JSON has no \(value); use nonConformingFloatEncodingStrategy to write it as a string."))
    }
    encode(value.isNaN ? nan : value > 0 ? positive : negative)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    let former = tree.content
    do { try encodeValue(value) } catch {
      // A failed value leaves no trace if the type catches the error.
      tree.content = former
      throw error
    }
  }

  private func encodeValue<Value: Encodable>(_ value: Value) throws {
    switch value {
    case let date as Date: try encodeDate(date)
    case let data as Data: try encodeData(data)
    case let url as URL: encode(url.absoluteString)
    case let decimal as Decimal:
      if decimal.isNaN { return try encodeNumber(Double.nan) }
      setScalar(decimal.description)
    default:
      if case .useDefaultKeys = options.key {
      } else if let dictionary = value as? any StringKeyedEncodable {
        try dictionary.encode(to: self)
        return
      }
      try value.encode(to: self)
    }
  }

  private func encodeDate(_ date: Date) throws {
    switch options.date {
    case .deferredToDate: try date.encode(to: self)
    case .secondsSince1970: try encode(date.timeIntervalSince1970)
    case .millisecondsSince1970: try encode(date.timeIntervalSince1970 * 1_000)
    case .iso8601: encode(date.formatted(.iso8601))
    #if canImport(Darwin)
      // Other platforms handle this strategy as a custom one.
      case .formatted(let formatter): encode(formatter.string(from: date))
    #endif
    case .custom(let write): try write(date, self)
    @unknown default: try date.encode(to: self)
    }
  }

  private func encodeData(_ data: Data) throws {
    switch options.data {
    case .deferredToData: try data.encode(to: self)
    case .base64: encode(data.base64EncodedString())
    case .custom(let write): try write(data, self)
    @unknown default: try data.encode(to: self)
    }
  }
}

/// A dictionary with string keys. Its keys are data, so they are not converted.
private protocol StringKeyedEncodable {
  func encode(to encoder: ValueEncoder) throws
}

extension Dictionary: StringKeyedEncodable where Key == String, Value: Encodable {
  fileprivate func encode(to encoder: ValueEncoder) throws {
    var values: [String: JSONTree] = [:]
    for (key, value) in self {
      let tree = JSONTree()
      try encoder.nestedEncoder(tree, JSONPathKey(stringValue: key)).encode(value)
      values[key] = tree
    }
    encoder.tree.content = .object(values)
  }
}
