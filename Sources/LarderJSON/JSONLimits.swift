/// How much a document may ask of its reader. Each limit has an error of its own.
///
/// ```swift
/// var limits = JSONLimits()
/// limits.maximumDepth = 32
/// let decoder = StrictJSONDecoder(limits: limits)
/// ```
public struct JSONLimits: Sendable, Equatable {
  /// How many objects and arrays may stand in one another; more is ``JSONError/Code/tooDeep``.
  public var maximumDepth: Int
  /// The length of a whole document or stream, in bytes; more is ``JSONError/Code/documentTooLarge``.
  public var maximumBytes: Int
  /// The length of one element of a stream, in bytes; more is ``JSONError/Code/elementTooLarge``.
  public var maximumElementBytes: Int
  /// The length of a string or a key as it is written, in bytes; more is ``JSONError/Code/stringTooLong``.
  public var maximumStringBytes: Int
  /// The length of a number as it is written, in bytes; more is ``JSONError/Code/numberTooLong``.
  public var maximumNumberBytes: Int

  public init() {
    maximumDepth = JSONLimits.defaultDepth
    maximumBytes = JSONLimits.defaultBytes
    maximumElementBytes = JSONLimits.defaultElementBytes
    maximumStringBytes = JSONLimits.defaultStringBytes
    maximumNumberBytes = JSONLimits.defaultNumberBytes
  }

  /// For documents that are in memory already: their strings may be as long as they are.
  public static var wholeDocument: JSONLimits {
    var limits = JSONLimits()
    limits.maximumElementBytes = .max
    limits.maximumStringBytes = .max
    return limits
  }

  /// 512, as `JSONDecoder` has it: no honest document comes near, and it bounds what nested calls need of the stack.
  public static let defaultDepth = 512
  /// No limit: a feed may be as long as it likes, since no more than a window of it is kept. Whoever fetches it bounds it.
  public static let defaultBytes = Int.max
  /// 16 MiB: some 20,000 times a usual record. It bounds the window of a stream.
  public static let defaultElementBytes = 16 * 1_024 * 1_024
  /// 16 MiB: a photo in base64 fits. It bounds the window of a reader that pulls.
  public static let defaultStringBytes = 16 * 1_024 * 1_024
  /// 4,096 bytes: the longest number that a double can be is 1,079 digits. Longer ones only cost time.
  public static let defaultNumberBytes = 4_096
}
