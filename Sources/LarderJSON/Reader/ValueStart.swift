/// Where a value begins, in terms that hold when it has been read and the window has moved past it.
@usableFromInline
struct ValueStart {
  let offset: Int
  let lines: LineCounter
}

extension JSONReader {
  /// Where the value begins that comes next, which stays to be read: for an error that only the whole of it tells.
  @usableFromInline
  mutating func valueStart() throws -> ValueStart {
    _ = try nextByte()
    return ValueStart(offset: offset, lines: lines)
  }

  /// An error at the beginning of a value that has been read.
  @inline(never)
  func error(_ code: JSONError.Code, at start: ValueStart, _ message: String) -> JSONError {
    JSONError(
      code: code, offset: start.offset, line: start.lines.count + 1, column: start.offset - start.lines.start + 1,
      path: path, message: message)
  }

  /// What ``invalid(_:)`` is, of a value that has been read.
  @usableFromInline
  func invalid(_ message: String, at start: ValueStart) -> JSONError { error(.invalidValue, at: start, message) }
}
