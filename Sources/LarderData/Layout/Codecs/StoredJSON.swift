import Foundation
import LarderSupport

/// JSON as stored: equal values have the same text, as far as the value's own order allows.
enum StoredJSON {
  // One of each for all threads: both are Sendable, are configured here and not changed afterwards, and keep no state
  // between calls.
  private static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.userInfo[.isColumnCoding] = true
    return encoder
  }()
  private static let decoder = JSONDecoder()

  static func encode<Value: Encodable>(_ value: Value) throws(_UnstorableValue) -> String {
    try encode(value, preservesRelativeURLs: URLContainment.isPossible(in: Value.self))
  }

  /// - Parameter keepsURLs: Whether the value may contain URLs, which are then coded as in columns.
  static func encode(_ value: some Encodable, preservesRelativeURLs keepsURLs: Bool) throws(_UnstorableValue) -> String
  {
    do {
      let bytes = try data(of: value, keepsURLs)
      guard !hasBareNaN(bytes) else {
        throw _UnstorableValue("a Decimal within it is NaN, which JSON cannot hold; give it a number, or nil")
      }
      return String(decoding: bytes, as: UTF8.self)
    } catch let error as _UnstorableValue {
      throw error
    } catch {
      throw _UnstorableValue(reason(error))
    }
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ text: String, preservesRelativeURLs keepsURLs: Bool) throws
    -> Value
  {
    if keepsURLs { return try decoder.decode(RelativeURLCoding.Decoded<Value>.self, from: Data(text.utf8)).value }
    return try decoder.decode(type, from: Data(text.utf8))
  }

  /// Returns the JSON of a value; the parts of an unordered collection are sorted by their texts.
  static func data(of value: some Encodable, _ keepsURLs: Bool) throws -> Data {
    if let unordered = value as? any UnorderedCollection, let parts = try unordered.elementsInStableOrder(keepsURLs) {
      return Data("[".utf8) + parts.joined(separator: Data(",".utf8)) + Data("]".utf8)
    }
    return keepsURLs ? try encoder.encode(RelativeURLCoding.Encoded(value: value)) : try encoder.encode(value)
  }

  /// Returns whether JSON contains a bare `NaN`, which Foundation writes for a Decimal that is not a number, and which no
  /// parser accepts. Outside of strings, JSON has no capital N.
  private static func hasBareNaN(_ json: Data) -> Bool {
    guard json.contains(UInt8(ascii: "N")) else { return false }
    var isInString = false
    var isEscaped = false
    for byte in json {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isInString: isEscaped = true
      case UInt8(ascii: "\""): isInString.toggle()
      case UInt8(ascii: "N") where !isInString: return true
      default: break
      }
    }
    return false
  }
}

// MARK: - Reasons

extension StoredJSON {
  /// Returns the kind of the error and its location, without the value, which may be private.
  static func reason(_ error: any Error) -> String {
    switch error {
    case let error as _UnstorableValue: error.reason
    case EncodingError.invalidValue(let value, let context):
      reason(context.codingPath, unstorableReason(value, context))
    case DecodingError.keyNotFound(let key, let context):
      reason(context.codingPath + [key], "there is no such key")
    case DecodingError.valueNotFound(let type, let context):
      reason(context.codingPath, "there is null instead of a \(type)")
    case DecodingError.typeMismatch(let type, let context): reason(context.codingPath, "it is no \(type)")
    case DecodingError.dataCorrupted(let context): reason(context.codingPath, context.debugDescription)
    default: "\(error)"
    }
  }

  private static func unstorableReason(_ value: Any, _ context: EncodingError.Context) -> String {
    let number = (value as? Double) ?? (value as? Float).map(Double.init)
    guard let number, !number.isFinite else { return context.debugDescription }
    return number.isNaN ? "it is NaN, which JSON cannot hold" : "it is infinite, which JSON cannot hold"
  }

  private static func reason(_ path: [any CodingKey], _ what: String) -> String {
    let place = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
    return place.isEmpty ? what : "at \(place.hasPrefix(".") ? String(place.dropFirst()) : place), \(what)"
  }
}

// MARK: - Unordered collections

/// A collection whose iteration order differs between runs of the program, so that its plain JSON would differ from the
/// stored JSON although nothing has changed.
private protocol UnorderedCollection {
  /// Returns the JSON of each part; nil where the plain JSON is stable.
  func elementsInStableOrder(_ keepsURLs: Bool) throws -> [Data]?
}

extension Set: UnorderedCollection where Element: Encodable {
  func elementsInStableOrder(_ keepsURLs: Bool) throws -> [Data]? {
    try map { try StoredJSON.data(of: $0, keepsURLs) }.inOrder { $0.lexicographicallyPrecedes($1) }
  }
}

extension Dictionary: UnorderedCollection where Key: Encodable, Value: Encodable {
  func elementsInStableOrder(_ keepsURLs: Bool) throws -> [Data]? {
    // These become JSON objects, whose keys the encoder sorts; all others become lists of alternating keys and values.
    if Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type { return nil }
    return try map { (try StoredJSON.data(of: $0.key, keepsURLs), try StoredJSON.data(of: $0.value, keepsURLs)) }
      .inOrder { $0.0.lexicographicallyPrecedes($1.0) }
      .flatMap { [$0.0, $0.1] }
  }
}

extension Array: UnorderedCollection where Element: Encodable {
  func elementsInStableOrder(_ keepsURLs: Bool) throws -> [Data]? {
    guard Element.self is any UnorderedCollection.Type else { return nil }
    return try map { try StoredJSON.data(of: $0, keepsURLs) }
  }
}
