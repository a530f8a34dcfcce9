import Foundation

/// A file's lines, one after the other, of which one at a time is in memory.
struct LineReader {
  /// A line that is longer is no row: SQLite's own values end at a gigabyte, and Base64 makes four bytes of three.
  static let maximumLength = 2 << 30
  private static let chunkSize = 1 << 20

  private let file: FileHandle
  /// The longest line that is read.
  var maximumLength: Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  /// How many lines have been read, and how many bytes with them.
  private(set) var lineCount = 0
  private(set) var offset: UInt64 = 0
  /// What has been read, as a number that another text would have to be made to have (FNV-1a).
  private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325

  struct LineTooLongError: Error {}

  init(_ file: FileHandle, maximumLength longest: Int = LineReader.maximumLength) {
    self.file = file
    self.maximumLength = longest
  }

  /// The next line, without its end; nil where there is none.
  mutating func next() throws -> ArraySlice<UInt8>? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        recordLine(buffer[start...end])
        return buffer[start..<end]
      }
      if isAtEnd {
        guard start < buffer.endIndex else { return nil }
        defer { start = buffer.endIndex }
        recordLine(buffer[start...])
        return buffer[start...]
      }
      searched = buffer.endIndex - start
      if searched > maximumLength { throw LineTooLongError() }
      buffer.removeSubrange(..<start)
      start = 0
      guard let more = try file.read(upToCount: Self.chunkSize), !more.isEmpty else {
        isAtEnd = true
        continue
      }
      buffer.append(contentsOf: more)
    }
  }

  private mutating func recordLine(_ line: ArraySlice<UInt8>) {
    lineCount += 1
    offset += UInt64(line.count)
    var digest = digest
    line.withUnsafeBufferPointer { for byte in $0 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 } }
    self.digest = digest
  }
}
