// Lines that may be left out are read one by one: the reader ends where its line does, and what is wrong with one says
// nothing of the next.

extension JSONReader {
  /// Has the reader end before a place, as if nothing came behind it.
  mutating func beginLine(_ count: Int) {
    end = position + count
    isFinished = true
  }

  /// Goes on behind the line that was begun.
  mutating func endLine(isFinished: Bool) {
    end = window.end
    self.isFinished = isFinished
  }

  /// How many bytes stand before the next end of a line, if it has come; those before `start` have been looked at.
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

  /// Whether nothing but space is left.
  mutating func skipTrailingSpace() -> Bool {
    while position < end, ASCIIByte.isSpace(position.pointee) { position += 1 }
    return position == end
  }
}

extension Words {
  /// Marks ends of lines, of which only the first counts.
  @inline(__always)
  fileprivate static func newline(_ word: UInt64) -> UInt64 {
    let other = word ^ 0x0A0A_0A0A_0A0A_0A0A
    return (other &- ones) & ~other & highs
  }
}

extension JSONError {
  /// That so many lines are left out already.
  func exceedingLineLimit(_ limit: Int) -> JSONError {
    var error = self
    error.message += " At most \(limit) malformed lines are left out, and this is one more."
    return error
  }
}
