public import Foundation

/// A decoder of `Decodable` types: a drop-in replacement for `JSONDecoder`, with its strategies, that follows RFC 8259 to the
/// letter, reports the line and column of errors, decodes decimals digit by digit, and takes less time.
///
/// ```swift
/// let decoder = StrictJSONDecoder()
/// decoder.keyDecodingStrategy = .convertFromSnakeCase
/// let trips = try decoder.decode([Trip].self, from: data)
/// ```
///
/// The decoder throws `DecodingError`, with the cases and coding paths of `JSONDecoder`. The debug description ends with line and
/// column, and the underlying error is a ``JSONError``, which has them as numbers.
///
/// Differences from `JSONDecoder`:
/// - The whole document is validated, including values that no type decodes: `[1,]`, `{"unread": 01}`, invalid escapes, lone
///   surrogates and invalid UTF-8 are rejected.
/// - Only UTF-8 is accepted, which RFC 8259 requires for interchange between systems. JSON5 is not accepted.
/// - Keys are compared by their bytes (RFC 8259, section 8.3), not by canonical equivalence: é in one scalar and é in two are
///   two keys, however many keys an object has, and whether they are converted or not. Where all keys of an object become strings,
///   in `allKeys` and in dictionaries, Swift finds both equal, and the first counts.
/// - An integer is never rounded: `1.0000000000000001` is no `Int`.
/// - A decimal is never rounded either: more digits than `Decimal` holds are an error.
/// - `0e2` is a number; `JSONDecoder` rejects it.
/// - Null for a `Bool` is `valueNotFound`, as for every other type; `JSONDecoder` throws `typeMismatch`.
/// - The coding path names a number or a date that is rejected.
/// - `decodeIfPresent` creates a value of the type that it is passed, too; `JSONDecoder` creates one of the static type.
public final class StrictJSONDecoder: @unchecked Sendable {
  // Sendable: the lock protects the mutable state.
  private let lock = NSLock()
  private var options: DecodingOptions

  public typealias DateDecodingStrategy = JSONDecoder.DateDecodingStrategy
  public typealias DataDecodingStrategy = JSONDecoder.DataDecodingStrategy
  public typealias KeyDecodingStrategy = JSONDecoder.KeyDecodingStrategy
  public typealias NonConformingFloatDecodingStrategy = JSONDecoder.NonConformingFloatDecodingStrategy

  /// Creates a decoder with the default strategies.
  ///
  /// - Parameter limits: The limits of a document.
  public init(limits: JSONLimits = .wholeDocument) {
    options = DecodingOptions(limits: limits)
  }

  private func withOptions<Value>(_ body: (inout DecodingOptions) -> Value) -> Value {
    lock.lock()
    defer { lock.unlock() }
    return body(&options)
  }

  var currentOptions: DecodingOptions { withOptions { $0 } }

  /// The format of dates. The default is the coding of `Date` itself.
  public var dateDecodingStrategy: DateDecodingStrategy {
    get { withOptions { $0.date } }
    set { withOptions { $0.date = newValue } }
  }

  /// The format of data. The default is base64.
  public var dataDecodingStrategy: DataDecodingStrategy {
    get { withOptions { $0.data } }
    set { withOptions { $0.data = newValue } }
  }

  /// The conversion of keys before they are compared. The default is no conversion.
  public var keyDecodingStrategy: KeyDecodingStrategy {
    get { withOptions { $0.key } }
    set { withOptions { $0.key = newValue } }
  }

  /// Whether infinity and not-a-number may be strings.
  public var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy {
    get { withOptions { $0.float } }
    set { withOptions { $0.float = newValue } }
  }

  /// Contextual information for types that decode themselves.
  public var userInfo: [CodingUserInfoKey: any Sendable] {
    get { withOptions { $0.userInfo } }
    set { withOptions { $0.userInfo = newValue } }
  }

  /// The limits of a document.
  public var limits: JSONLimits {
    get { withOptions { $0.limits } }
    set { withOptions { $0.limits = newValue } }
  }

  // MARK: Decoding

  /// Decodes a document.
  ///
  /// - Throws: `DecodingError` if the document is no valid JSON or does not match the type, and errors of the types themselves.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try data.withUnsafeBytes { try decode(type, from: $0) }
  }

  /// Decodes a document.
  ///
  /// - Throws: `DecodingError` if the document is no valid JSON or does not match the type, and errors of the types themselves.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try bytes.withUnsafeBytes { try decode(type, from: $0) }
  }

  /// Decodes a document.
  ///
  /// - Throws: `DecodingError` if the document is no valid JSON or does not match the type, and errors of the types themselves.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
    var state = DecodingState(currentOptions)
    do {
      return try JSONReader.read(bytes, limits: state.options.limits) { reader in
        // Trailing content is rejected before a type receives the value.
        try DecodingState.decode(type, with: &state, from: &reader) { try $0.finishDocument() }
      }
    } catch let error as JSONError {
      throw error.decodingError
    }
  }

  /// Decodes the reader's next value, and moves the reader past it.
  ///
  /// ```swift
  /// while try reader.nextElement() { trips.append(try decoder.decode(Trip.self, from: &reader)) }
  /// ```
  ///
  /// - Throws: `DecodingError` if the value does not match the type, ``JSONError`` if the text is no valid JSON, and errors of the
  ///   types themselves.
  public func decode<Value: Decodable>(_ type: Value.Type, from reader: inout JSONReader) throws -> Value {
    var state = DecodingState(currentOptions)
    return try DecodingState.decode(type, with: &state, from: &reader)
  }
}

/// The decoder's options at the time when decoding began.
struct DecodingOptions {
  var date: JSONDecoder.DateDecodingStrategy = .deferredToDate
  var data: JSONDecoder.DataDecodingStrategy = .base64
  var key: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys
  var float: JSONDecoder.NonConformingFloatDecodingStrategy = .throw
  var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  var limits: JSONLimits
}

extension JSONError {
  /// The error that `JSONDecoder` throws for text that is no JSON.
  var decodingError: DecodingError {
    .dataCorrupted(
      DecodingError.Context(
        codingPath: [], debugDescription: "The given data was not valid JSON. \(self)", underlyingError: self))
  }
}
