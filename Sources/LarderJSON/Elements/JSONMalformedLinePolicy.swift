/// The handling of malformed lines in JSON lines.
///
/// ```swift
/// let rows = JSONElementSequence(
///   of: Row.self, at: .lines, in: response.body,
///   malformedLines: .skip(atMost: 20) { print("Line \($0.line) is left out: \($0.error)") })
/// ```
///
/// With `skip`, each line is read separately: a value must begin and end in one line. A truncated line does not affect the next.
public struct JSONMalformedLinePolicy: Sendable {
  /// The maximum number of skipped lines.
  let limit: Int?
  let onSkip: (@Sendable (JSONLineError) -> Void)?

  /// Ends the stream with the error of the first malformed line.
  public static let fail = JSONMalformedLinePolicy(limit: nil, onSkip: nil)

  /// Skips malformed lines and continues with the next line.
  ///
  /// An ingest lists skipped lines in its report. A ``JSONElementReader`` throws the error of each skipped line once. A loop over a
  /// ``JSONElementSequence`` skips malformed lines, and lines that do not match the type; only `onSkip` reports them.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of malformed lines. The error of one more ends the stream: a feed with so many has probably
  ///     another format.
  ///   - note: A function that is called for each skipped line.
  public static func skip(
    atMost limit: Int = defaultLimit, _ note: (@Sendable (JSONLineError) -> Void)? = nil
  ) -> JSONMalformedLinePolicy {
    JSONMalformedLinePolicy(limit: max(limit, 0), onSkip: note)
  }

  /// The default limit: 100, since the report of an ingest lists each line.
  public static let defaultLimit = 100
}

/// A skipped line and its error.
public struct JSONLineError: Error, Sendable {
  /// The line number, counted from 1.
  public let line: Int
  /// A ``JSONError``, or an error of the type that reads itself.
  public let error: any Error

  public init(line: Int, error: any Error) {
    self.line = line
    self.error = error
  }
}
