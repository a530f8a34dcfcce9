public import Foundation

/// Encodes values as JSON whose bytes depend on nothing but the values: for bodies of requests, which a retry has to send
/// again as they were, and a signature or an idempotency key may be made of.
///
/// ```swift
/// let encoder = StableJSONEncoder()
/// encoder.dateEncodingStrategy = .iso8601
/// request.body = try encoder.encode(payment)
/// ```
///
/// Keys stand in the order of their UTF-8, numbers are the shortest that are read as the same, and nothing is escaped that
/// need not be. Strategies are those of `JSONEncoder`, whose bytes these are with `.sortedKeys` and
/// `.withoutEscapingSlashes`; only that keys are ordered by their bytes alone, never by a language's rules. And a value that
/// cannot be encoded, where its error is caught (`try? elements.encode(value)`), leaves nothing of itself; JSONEncoder puts what
/// had been encoded of it into the next value.
///
/// The form of numbers, strings and orders is part of the API: it does not change from one version to another.
public final class StableJSONEncoder: @unchecked Sendable {
  // Safe to share: what can be changed is behind the lock.
  private let lock = NSLock()
  private var options = EncodingOptions()

  public typealias DateEncodingStrategy = JSONEncoder.DateEncodingStrategy
  public typealias DataEncodingStrategy = JSONEncoder.DataEncodingStrategy
  public typealias KeyEncodingStrategy = JSONEncoder.KeyEncodingStrategy
  public typealias NonConformingFloatEncodingStrategy = JSONEncoder.NonConformingFloatEncodingStrategy

  public init() {}

  private func withOptions<Value>(_ body: (inout EncodingOptions) -> Value) -> Value {
    lock.lock()
    defer { lock.unlock() }
    return body(&options)
  }

  /// How dates are written; by default as `Date` codes itself.
  public var dateEncodingStrategy: DateEncodingStrategy {
    get { withOptions { $0.date } }
    set { withOptions { $0.date = newValue } }
  }

  /// How data is written; by default in base64.
  public var dataEncodingStrategy: DataEncodingStrategy {
    get { withOptions { $0.data } }
    set { withOptions { $0.data = newValue } }
  }

  /// What keys become; by default they stay.
  public var keyEncodingStrategy: KeyEncodingStrategy {
    get { withOptions { $0.key } }
    set { withOptions { $0.key = newValue } }
  }

  /// Whether infinity and not-a-number are written as strings; by default they are an error.
  public var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy {
    get { withOptions { $0.float } }
    set { withOptions { $0.float = newValue } }
  }

  /// Whether lines are broken and indented for people.
  public var isPretty: Bool {
    get { withOptions { $0.isPretty } }
    set { withOptions { $0.isPretty = newValue } }
  }

  /// What is handed to the types that encode themselves.
  public var userInfo: [CodingUserInfoKey: any Sendable] {
    get { withOptions { $0.userInfo } }
    set { withOptions { $0.userInfo = newValue } }
  }

  /// Encodes a value.
  ///
  /// - Throws: `EncodingError`, and what the types throw.
  public func encode(_ value: some Encodable) throws -> Data { Data(try encodeBytes(value)) }

  /// Encodes a value.
  ///
  /// - Throws: `EncodingError`, and what the types throw.
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

/// What an encoder was told, as it was when encoding began.
struct EncodingOptions {
  var date: JSONEncoder.DateEncodingStrategy = .deferredToDate
  var data: JSONEncoder.DataEncodingStrategy = .base64
  var key: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
  var float: JSONEncoder.NonConformingFloatEncodingStrategy = .throw
  var isPretty = false
  var userInfo: [CodingUserInfoKey: any Sendable] = [:]
}
