/// The limits of a document. Each has an error code of its own.
///
/// ```swift
/// var limits = JSONLimits()
/// limits.maximumDepth = 32
/// let decoder = StrictJSONDecoder(limits: limits)
/// ```
public struct JSONLimits: Sendable, Equatable {
  /// The maximum nesting of objects and arrays; more is ``JSONError/Code/tooDeep``.
  public var maximumDepth: Int
  /// The maximum length of a whole document or stream, in bytes; more is ``JSONError/Code/documentTooLarge``.
  public var maximumBytes: Int
  /// The maximum length of one element of a stream, in bytes; more is ``JSONError/Code/elementTooLarge``.
  public var maximumElementBytes: Int
  /// The maximum length of a string or a key in the text, in bytes; more is ``JSONError/Code/stringTooLong``.
  public var maximumStringBytes: Int
  /// The maximum length of a number in the text, in bytes; more is ``JSONError/Code/numberTooLong``.
  public var maximumNumberBytes: Int

  /// Creates the default limits, which suit streams.
  public init() {
    maximumDepth = JSONLimits.defaultDepth
    maximumBytes = JSONLimits.defaultBytes
    maximumElementBytes = JSONLimits.defaultElementBytes
    maximumStringBytes = JSONLimits.defaultStringBytes
    maximumNumberBytes = JSONLimits.defaultNumberBytes
  }

  /// The limits for documents that are in memory: elements and strings may be as long as the document.
  public static var wholeDocument: JSONLimits {
    var limits = JSONLimits()
    limits.maximumElementBytes = .max
    limits.maximumStringBytes = .max
    return limits
  }

  /// 512, as for `JSONDecoder`. Usual documents stay far below, and the limit bounds the stack that nested calls need.
  public static let defaultDepth = 512
  /// No limit: a feed may have any length, since only a window of it is kept. The code that downloads the feed limits its size.
  public static let defaultBytes = Int.max
  /// 16 MiB: some 20,000 times a usual record. It bounds the window of a stream.
  public static let defaultElementBytes = 16 * 1_024 * 1_024
  /// 16 MiB: a photo in base64 fits. It bounds the window of a reader that pulls.
  public static let defaultStringBytes = 16 * 1_024 * 1_024
  /// 4,096 bytes: the longest number that a double can be is 1,079 digits. Longer ones only cost time.
  public static let defaultNumberBytes = 4_096
}
