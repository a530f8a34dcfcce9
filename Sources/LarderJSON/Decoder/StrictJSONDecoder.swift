public import Foundation

/// Decodes plain `Decodable` types: a drop-in beside `JSONDecoder`, with its strategies, for whoever wants RFC 8259 to the
/// letter, places in errors, decimals digit by digit, and less time.
///
/// ```swift
/// let decoder = StrictJSONDecoder()
/// decoder.keyDecodingStrategy = .convertFromSnakeCase
/// let trips = try decoder.decode([Trip].self, from: data)
/// ```
///
/// It throws `DecodingError`, with the cases and coding paths of `JSONDecoder`. What it says ends with line and column, and
/// the underlying error is a ``JSONError``, which has them as numbers.
///
/// It differs from `JSONDecoder` in this:
/// - All of the document is checked, what no type asks for too: `[1,]`, `{"unread": 01}`, invalid escapes, lone surrogates and
///   invalid UTF-8 there are refused.
/// - UTF-8 alone is taken, as RFC 8259 demands of what systems exchange; JSON5 is not.
/// - Keys are compared by their bytes (RFC 8259, section 8.3), not by canonical equivalence: é in one scalar and é in two are
///   two keys, however many an object has, and whether they are converted or not. Where all keys of an object become strings,
///   in `allKeys` and in dictionaries, Swift takes both for one, and the first counts.
/// - An integer is never rounded: `1.0000000000000001` is no `Int`.
/// - A decimal is never rounded either: more digits than `Decimal` holds are an error.
/// - `0e2` is a number; JSONDecoder refuses it.
/// - Null where a `Bool` should be is `valueNotFound`, as for every other type; JSONDecoder says `typeMismatch`.
/// - Where a number or a date is refused, the coding path says which.
/// - `decodeIfPresent` makes a value of the type that it is given, too; JSONDecoder's makes one that the compiler knows.
public final class StrictJSONDecoder: @unchecked Sendable {
  // Safe to share: what can be changed is behind the lock.
  private let lock = NSLock()
  private var options: DecodingOptions

  public typealias DateDecodingStrategy = JSONDecoder.DateDecodingStrategy
  public typealias DataDecodingStrategy = JSONDecoder.DataDecodingStrategy
  public typealias KeyDecodingStrategy = JSONDecoder.KeyDecodingStrategy
  public typealias NonConformingFloatDecodingStrategy = JSONDecoder.NonConformingFloatDecodingStrategy

  public init(limits: JSONLimits = .wholeDocument) {
    options = DecodingOptions(limits: limits)
  }

  private func withOptions<Value>(_ body: (inout DecodingOptions) -> Value) -> Value {
    lock.lock()
    defer { lock.unlock() }
    return body(&options)
  }

  var currentOptions: DecodingOptions { withOptions { $0 } }

  /// How dates are written; by default as `Date` codes itself.
  public var dateDecodingStrategy: DateDecodingStrategy {
    get { withOptions { $0.date } }
    set { withOptions { $0.date = newValue } }
  }

  /// How data is written; by default in base64.
  public var dataDecodingStrategy: DataDecodingStrategy {
    get { withOptions { $0.data } }
    set { withOptions { $0.data = newValue } }
  }

  /// What keys become before they are compared; by default they stay.
  public var keyDecodingStrategy: KeyDecodingStrategy {
    get { withOptions { $0.key } }
    set { withOptions { $0.key = newValue } }
  }

  /// Whether infinity and not-a-number may stand as strings.
  public var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy {
    get { withOptions { $0.float } }
    set { withOptions { $0.float = newValue } }
  }

  /// What is handed to the types that decode themselves.
  public var userInfo: [CodingUserInfoKey: any Sendable] {
    get { withOptions { $0.userInfo } }
    set { withOptions { $0.userInfo = newValue } }
  }

  /// How much a document may ask for.
  public var limits: JSONLimits {
    get { withOptions { $0.limits } }
    set { withOptions { $0.limits = newValue } }
  }

  // MARK: Decoding

  /// Decodes a document.
  ///
  /// - Throws: `DecodingError`, and what the types throw.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try data.withUnsafeBytes { try decode(type, from: $0) }
  }

  /// Decodes a document.
  ///
  /// - Throws: `DecodingError`, and what the types throw.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try bytes.withUnsafeBytes { try decode(type, from: $0) }
  }

  /// Decodes a document.
  ///
  /// - Throws: `DecodingError`, and what the types throw.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
    var state = DecodingState(currentOptions)
    do {
      return try JSONReader.read(bytes, limits: state.options.limits) { reader in
        // Whether anything follows is looked at before a type sees the value.
        try DecodingState.decode(type, with: &state, from: &reader) { try $0.finishDocument() }
      }
    } catch let error as JSONError {
      throw error.decodingError
    }
  }

  /// Decodes the value that a reader comes to next, and leaves it behind that value.
  ///
  /// ```swift
  /// while try reader.nextElement() { trips.append(try decoder.decode(Trip.self, from: &reader)) }
  /// ```
  ///
  /// - Throws: `DecodingError`, ``JSONError`` where the text is no JSON, and what the types throw.
  public func decode<Value: Decodable>(_ type: Value.Type, from reader: inout JSONReader) throws -> Value {
    var state = DecodingState(currentOptions)
    return try DecodingState.decode(type, with: &state, from: &reader)
  }
}

/// What a decoder was told, as it was when decoding began.
struct DecodingOptions {
  var date: JSONDecoder.DateDecodingStrategy = .deferredToDate
  var data: JSONDecoder.DataDecodingStrategy = .base64
  var key: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys
  var float: JSONDecoder.NonConformingFloatDecodingStrategy = .throw
  var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  var limits: JSONLimits
}

extension JSONError {
  /// As `JSONDecoder` says that a text is no JSON.
  var decodingError: DecodingError {
    .dataCorrupted(
      DecodingError.Context(
        codingPath: [], debugDescription: "The given data was not valid JSON. \(self)", underlyingError: self))
  }
}
