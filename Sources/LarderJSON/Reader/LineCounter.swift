/// How many lines end before a place, and where the last of them does.
///
/// Lines end in the space between tokens alone, since a string must escape its own. So they are counted where space is
/// passed, and cost nothing where there is none.
struct LineCounter {
  var count = 0
  /// The offset of the first byte behind the last end of a line.
  var start = 0

  @inline(__always)
  mutating func recordLineEnd(at offset: Int) {
    count += 1
    start = offset + 1
  }

  /// Line and column, counted from 1, of a place so many bytes behind the one that these lines are of.
  func position(_ bytes: UnsafePointer<UInt8>, _ count: Int, offset: Int) -> (offset: Int, line: Int, column: Int) {
    var lines = self
    for index in 0..<max(count, 0) where bytes[index] == ASCIIByte.newline { lines.recordLineEnd(at: offset + index) }
    return (offset + count, lines.count + 1, max(offset + count - lines.start, 0) + 1)
  }
}

/// Lines of places in a text, asked for many times: types that try one kind after another make an error of each.
///
/// Lines are counted once up to each 4 KiB, as far as they are asked for, and from there each time.
struct LineIndex {
  private let offset: Int
  private let first: LineCounter
  /// The lines before each step of the text but the first, so that a record without errors costs nothing.
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
  /// Counts the lines that end in space which is passed.
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
