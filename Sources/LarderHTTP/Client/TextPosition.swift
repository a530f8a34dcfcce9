/// A place in a text.
public struct TextPosition: Sendable, Hashable {
  /// The line, counted from 1.
  public var line: Int
  /// The place in the line, in bytes, counted from 1.
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}
