public import Foundation

/// An encoder whose JSON depends on nothing but the values: for request bodies, which a retry has to send byte for byte again, and
/// from which a signature or an idempotency key may be computed.
///
/// ```swift
/// let encoder = StableJSONEncoder()
/// encoder.dateEncodingStrategy = .iso8601
/// request.body = try encoder.encode(payment)
/// ```
///
/// Keys are in the order of their UTF-8, numbers are the shortest that parse to the same value, and only characters that must be
/// escaped are. The strategies are those of `JSONEncoder`. The output equals that of `JSONEncoder` with `.sortedKeys` and
/// `.withoutEscapingSlashes`, except that keys are ordered by their bytes, never by a locale. In addition, a value whose encoding
/// fails, where its type catches the error (`try? elements.encode(value)`), leaves no trace; `JSONEncoder` puts the encoded part
/// into the next value.
///
/// The form of numbers and strings and the order of keys are part of the API: they do not change between versions.
public final class StableJSONEncoder: @unchecked Sendable {
  // Sendable: the lock protects the mutable state.
  private let lock = NSLock()
  private var options = EncodingOptions()

  public typealias DateEncodingStrategy = JSONEncoder.DateEncodingStrategy
  public typealias DataEncodingStrategy = JSONEncoder.DataEncodingStrategy
  public typealias KeyEncodingStrategy = JSONEncoder.KeyEncodingStrategy
  public typealias NonConformingFloatEncodingStrategy = JSONEncoder.NonConformingFloatEncodingStrategy

  /// Creates an encoder with the default strategies.
  public init() {}

  private func withOptions<Value>(_ body: (inout EncodingOptions) -> Value) -> Value {
    lock.lock()
    defer { lock.unlock() }
    return body(&options)
  }

  /// The format of dates. The default is the coding of `Date` itself.
  public var dateEncodingStrategy: DateEncodingStrategy {
    get { withOptions { $0.date } }
    set { withOptions { $0.date = newValue } }
  }

  /// The format of data. The default is base64.
  public var dataEncodingStrategy: DataEncodingStrategy {
    get { withOptions { $0.data } }
    set { withOptions { $0.data = newValue } }
  }

  /// The conversion of keys. The default is no conversion.
  public var keyEncodingStrategy: KeyEncodingStrategy {
    get { withOptions { $0.key } }
    set { withOptions { $0.key = newValue } }
  }

  /// The handling of infinity and not-a-number: strings, or an error. The default is an error.
  public var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy {
    get { withOptions { $0.float } }
    set { withOptions { $0.float = newValue } }
  }

  /// Whether the output has line breaks and indentation.
  public var isPretty: Bool {
    get { withOptions { $0.isPretty } }
    set { withOptions { $0.isPretty = newValue } }
  }

  /// Contextual information for types that encode themselves.
  public var userInfo: [CodingUserInfoKey: any Sendable] {
    get { withOptions { $0.userInfo } }
    set { withOptions { $0.userInfo = newValue } }
  }

  /// Encodes a value.
  ///
  /// - Throws: `EncodingError` if JSON cannot represent the value, and errors of the types themselves.
  public func encode(_ value: some Encodable) throws -> Data { Data(try encodeBytes(value)) }

  /// Encodes a value.
  ///
  /// - Throws: `EncodingError` if JSON cannot represent the value, and errors of the types themselves.
  public func encodeBytes(_ value: some Encodable) throws -> [UInt8] {
    let options = withOptions { $0 }
    let tree = JSONTree()
    try ValueEncoder(options: options, tree: tree, codingPath: []).encode(value)
    if case .nothing = tree.content {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: [], debugDescription: "Top-level \(type(of: value)) did not encode any values."))
    }
    var output: [UInt8] = []
    tree.write(to: &output, indentation: options.isPretty ? 0 : nil)
    return output
  }
}

/// The encoder's options at the time when encoding began.
struct EncodingOptions {
  var date: JSONEncoder.DateEncodingStrategy = .deferredToDate
  var data: JSONEncoder.DataEncodingStrategy = .base64
  var key: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
  var float: JSONEncoder.NonConformingFloatEncodingStrategy = .throw
  var isPretty = false
  var userInfo: [CodingUserInfoKey: any Sendable] = [:]
}
