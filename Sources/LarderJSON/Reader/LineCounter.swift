/// The number of lines that end before a place, and the end of the last.
///
/// Lines end only in the space between tokens, since a string must escape its line ends. They are counted where space is skipped,
/// and cost nothing where there is none.
struct LineCounter {
  var count = 0
  /// The offset of the first byte after the last line end.
  var start = 0

  @inline(__always)
  mutating func recordLineEnd(at offset: Int) {
    count += 1
    start = offset + 1
  }

  /// Returns the line and column, counted from 1, of a place `count` bytes after the place of this counter.
  func position(_ bytes: UnsafePointer<UInt8>, _ count: Int, offset: Int) -> (offset: Int, line: Int, column: Int) {
    var lines = self
    for index in 0..<max(count, 0) where bytes[index] == ASCIIByte.newline { lines.recordLineEnd(at: offset + index) }
    return (offset + count, lines.count + 1, max(offset + count - lines.start, 0) + 1)
  }
}

/// An index of lines in a text, for repeated queries: types that try one alternative after another create an error for each.
///
/// Lines are counted once up to each 4 KiB, as far as requested, and from there for each query.
struct LineIndex {
  private let offset: Int
  private let first: LineCounter
  /// The lines before each step of the text but the first, so that a record without errors allocates nothing.
  private var checkpoints: [LineCounter] = []
  private static let step = 4_096

  init(offset: Int, lines: LineCounter) {
    self.offset = offset
    first = lines
  }

  mutating func position(_ base: UnsafePointer<UInt8>, _ count: Int) -> (offset: Int, line: Int, column: Int) {
    let step = count / LineIndex.step
    while checkpoints.count < step {
      let start = checkpoints.count * LineIndex.step
      var lines = checkpoints.last ?? first
      for index in start..<start + LineIndex.step where base[index] == ASCIIByte.newline {
        lines.recordLineEnd(at: offset + index)
      }
      checkpoints.append(lines)
    }
    let start = step * LineIndex.step
    let lines = step == 0 ? first : checkpoints[step - 1]
    return lines.position(base + start, count - start, offset: offset + start)
  }
}

extension JSONReader {
  /// Counts the line ends in skipped space.
  @inline(never)
  mutating func countLines(_ from: UnsafePointer<UInt8>, _ to: UnsafePointer<UInt8>) {
    var pointer = from
    while pointer < to {
      if pointer.pointee == ASCIIByte.newline { lines.recordLineEnd(at: offset(of: pointer)) }
      pointer += 1
    }
  }

  @inline(__always)
  func offset(of pointer: UnsafePointer<UInt8>) -> Int { window.offset + (pointer - UnsafePointer(window.base)) }
}
