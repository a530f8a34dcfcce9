/// The beginning of a value, in a form that remains valid after the window has moved past the value.
@usableFromInline
struct ValueStart {
  let offset: Int
  let lines: LineCounter
}

extension JSONReader {
  /// Returns the beginning of the next value, without reading it: for errors that are known only after the whole value is read.
  @usableFromInline
  mutating func valueStart() throws -> ValueStart {
    _ = try nextByte()
    return ValueStart(offset: offset, lines: lines)
  }

  /// Returns an error at the beginning of a value that has been read.
  @inline(never)
  func error(_ code: JSONError.Code, at start: ValueStart, _ message: String) -> JSONError {
    JSONError(
      code: code, offset: start.offset, line: start.lines.count + 1, column: start.offset - start.lines.start + 1,
      path: path, message: message)
  }

  /// Returns the same error as ``invalid(_:)``, at the beginning of a value that has been read.
  @usableFromInline
  func invalid(_ message: String, at start: ValueStart) -> JSONError { error(.invalidValue, at: start, message) }
}
