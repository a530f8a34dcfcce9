/// What becomes of lines that are no JSON, among JSON lines.
///
/// ```swift
/// let rows = JSONElementSequence(
///   of: Row.self, at: .lines, in: response.body,
///   malformedLines: .skip(atMost: 20) { print("Line \($0.line) is left out: \($0.error)") })
/// ```
///
/// Where lines may be left out, each is judged by itself: a value must begin and end in one line. A line that is cut off takes
/// nothing of the next one with it.
public struct JSONMalformedLinePolicy: Sendable {
  /// How many may be left out.
  let limit: Int?
  let onSkip: (@Sendable (JSONLineError) -> Void)?

  /// The first one ends the stream with its error.
  public static let fail = JSONMalformedLinePolicy(limit: nil, onSkip: nil)

  /// They are left out, and reading goes on with the next line.
  ///
  /// An ingest has them in its report. So has a ``JSONElementReader``, which throws the error of each once. A loop over
  /// ``JSONElementSequence`` goes past them, and past lines that are JSON but not what was asked for; only `onSkip` tells.
  ///
  /// - Parameters:
  ///   - limit: How many may be no JSON. The error of one more ends the stream: a feed with so many is another than it is
  ///     taken for.
  ///   - note: Is called for each line that is left out.
  public static func skip(
    atMost limit: Int = defaultLimit, _ note: (@Sendable (JSONLineError) -> Void)? = nil
  ) -> JSONMalformedLinePolicy {
    JSONMalformedLinePolicy(limit: max(limit, 0), onSkip: note)
  }

  /// 100: the report of an ingest names each of them.
  public static let defaultLimit = 100
}

/// A line that is left out, and why.
public struct JSONLineError: Error, Sendable {
  /// Counted from 1.
  public let line: Int
  /// A ``JSONError``, or what the type that reads itself has thrown.
  public let error: any Error

  public init(line: Int, error: any Error) {
    self.line = line
    self.error = error
  }
}
