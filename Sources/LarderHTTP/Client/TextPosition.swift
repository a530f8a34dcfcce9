/// A position in a text.
public struct TextPosition: Sendable, Hashable {
  /// The line, counted from 1.
  public var line: Int
  /// The byte position in the line, counted from 1.
  public var column: Int

  /// Creates a position.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}
