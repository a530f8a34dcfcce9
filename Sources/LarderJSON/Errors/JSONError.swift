/// An error in a document, and its place.
///
/// The message says how to correct the error and contains no value of the document: values may be private. Keys of the path are
/// those of the document.
public struct JSONError: Error, Sendable, Equatable {
  /// The kind of error.
  public var code: Code
  /// The place, in bytes from the beginning of the document or stream.
  public var offset: Int
  /// The line, counted from 1.
  public var line: Int
  /// The place in the line, in bytes, counted from 1.
  public var column: Int
  /// The path from the top level to the value with the error.
  public var path: [PathElement]
  /// A description of the error, and how to correct it.
  public var message: String

  public init(
    code: Code, offset: Int = 0, line: Int = 1, column: Int = 1, path: [PathElement] = [], message: String? = nil
  ) {
    self.code = code
    self.offset = offset
    self.line = line
    self.column = column
    self.path = path
    self.message = message ?? code.defaultMessage
  }

  /// The kinds of errors.
  public enum Code: String, Sendable, Equatable, CaseIterable {
    // MARK: Malformed text (RFC 8259)
    /// The document ends before its value does.
    case unexpectedEnd
    /// A character is not allowed at this place.
    case unexpectedCharacter
    /// Text follows the document's value.
    case trailingContent
    /// A literal is neither `true`, `false` nor `null`.
    case invalidLiteral
    /// A number has a form that RFC 8259 does not allow, such as `01` or `1.`.
    case invalidNumber
    /// A backslash begins no valid escape.
    case invalidEscape
    /// A `\u` escape is half of a surrogate pair.
    case loneSurrogate
    /// A string contains an unescaped control character.
    case controlCharacter
    /// The bytes are not UTF-8.
    case invalidUTF8

    // MARK: Exceeded limits
    /// The document exceeds ``JSONLimits/maximumDepth``.
    case tooDeep
    /// The document exceeds ``JSONLimits/maximumBytes``.
    case documentTooLarge
    /// The element exceeds ``JSONLimits/maximumElementBytes``.
    case elementTooLarge
    /// The string or key exceeds ``JSONLimits/maximumStringBytes``.
    case stringTooLong
    /// The number exceeds ``JSONLimits/maximumNumberBytes``.
    case numberTooLong

    // MARK: Valid JSON that does not match the type
    /// The value is of another kind.
    case typeMismatch
    /// The value is null, which the type does not allow.
    case valueNotFound
    /// An object lacks a key.
    case keyNotFound
    /// The number does not fit in the requested type.
    case numberNotRepresentable
    /// A string does not represent a value of its type: a date, an identifier, a case.
    case invalidValue
    /// The path of a stream references a value that has no elements.
    case noElements

    // MARK: Misuse of the reader
    /// The reader has no more bytes yet: feed it, or finish it, and call again.
    case needsInput
    /// A call does not match the reader's position, such as a key outside an object.
    case misuse
  }

  /// A step of a path.
  public enum PathElement: Sendable, Equatable, CustomStringConvertible {
    case key(String)
    case index(Int)

    public var description: String {
      switch self {
      case .key(let key): key
      case .index(let index): "[\(index)]"
      }
    }
  }
}

extension JSONError.Code {
  /// The message for errors without a more specific one.
  var defaultMessage: String {
    switch self {
    case .unexpectedEnd: "The document ends before its value does; it may have been cut off on its way."
    case .unexpectedCharacter: "A character stands where JSON has another."
    case .trailingContent:
      "Something follows the document's value; for many values in one text, read them as JSON lines."
    case .invalidLiteral: "Only true, false and null may stand without quotes."
    case .invalidNumber: "A number must be written as RFC 8259 says: no leading zero or plus, digits around the point."
    case .invalidEscape:
      "A backslash in a string must be followed by one of \"\\/bfnrt, or by u and four hexadecimal digits."
    case .loneSurrogate: "A \\u escape of a surrogate must be one of a pair, high before low."
    case .controlCharacter: "A control character in a string must be written as an escape."
    case .invalidUTF8: "The bytes are not UTF-8, which RFC 8259 demands; the sender must encode the text so."
    case .tooDeep: "Objects and arrays stand in one another deeper than JSONLimits.maximumDepth allows."
    case .documentTooLarge: "The document is longer than JSONLimits.maximumBytes allows."
    case .elementTooLarge: "An element is longer than JSONLimits.maximumElementBytes allows."
    case .stringTooLong: "A string is longer than JSONLimits.maximumStringBytes allows."
    case .numberTooLong: "A number is longer than JSONLimits.maximumNumberBytes allows."
    case .typeMismatch: "The value is of another kind than the type that is read."
    case .valueNotFound: "The value is null; make the property an optional if it may be."
    case .keyNotFound: "The object lacks a key; make the property an optional, or give it a default, if it may."
    case .numberNotRepresentable: "The number does not fit in the type that is read."
    case .invalidValue: "The string does not stand for a value of the type that is read."
    case .noElements: "The path leads to nothing that has elements; compare it with the document."
    case .needsInput: "The reader has read all that it was fed; feed it more, or finish it, and call again."
    case .misuse: "The call does not fit where the reader stands."
    }
  }
}

extension JSONError: CustomStringConvertible {
  /// The path in the usual notation: `features[3].properties.mag`.
  public var pathDescription: String {
    var text = ""
    for element in path {
      if case .key = element, !text.isEmpty { text += "." }
      text += element.description
    }
    return text
  }

  public var description: String {
    let place = path.isEmpty ? "" : " at \(pathDescription)"
    return "JSON error (\(code)) in line \(line), column \(column)\(place): \(message)"
  }
}
