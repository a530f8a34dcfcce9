// With a policy that skips malformed lines, lines are read one by one: the reader's input ends with the line, so that an error in
// one line does not affect the next.

extension JSONReader {
  /// Ends the reader's input at the specified place, as if no bytes followed.
  mutating func beginLine(_ count: Int) {
    end = position + count
    isFinished = true
  }

  /// Restores the reader's input after the line.
  mutating func endLine(isFinished: Bool) {
    end = window.end
    self.isFinished = isFinished
  }

  /// Returns the number of bytes before the next line end, or `nil` if it has not arrived. Bytes before `start` have been searched.
  func lineLength(from start: Int) -> Int? {
    var pointer = position + min(start, end - position)
    while end - pointer >= 8 {
      let mark = Words.newline(Words.load(pointer))
      if mark != 0 { return pointer - position + Words.countBefore(mark) }
      pointer += 8
    }
    while pointer < end {
      if pointer.pointee == ASCIIByte.newline { return pointer - position }
      pointer += 1
    }
    return nil
  }

  /// Skips space and returns whether no other bytes are left.
  mutating func skipTrailingSpace() -> Bool {
    while position < end, ASCIIByte.isSpace(position.pointee) { position += 1 }
    return position == end
  }
}

extension Words {
  /// Marks line ends. Only the first mark is reliable.
  @inline(__always)
  fileprivate static func newline(_ word: UInt64) -> UInt64 {
    let other = word ^ 0x0A0A_0A0A_0A0A_0A0A
    return (other &- ones) & ~other & highs
  }
}

extension JSONError {
  /// Returns the error with a note that the limit of skipped lines is exceeded.
  func exceedingLineLimit(_ limit: Int) -> JSONError {
    var error = self
    error.message += " At most \(limit) malformed lines are left out, and this is one more."
    return error
  }
}
