import Foundation

/// A reader of a file's lines, with one line at a time in memory.
struct LineReader {
  /// The length of the longest line: SQLite's values are limited to a gigabyte, and Base64 makes four bytes of three.
  static let maximumLength = 2 << 30
  private static let chunkSize = 1 << 20

  private let file: FileHandle
  /// The length of the longest line that is accepted.
  var maximumLength: Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  /// The number of lines that have been read, and of their bytes.
  private(set) var lineCount = 0
  private(set) var offset: UInt64 = 0
  /// The digest of the lines that have been read (FNV-1a). Only a deliberately constructed text has the same one.
  private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325

  struct LineTooLongError: Error {}

  init(_ file: FileHandle, maximumLength longest: Int = LineReader.maximumLength) {
    self.file = file
    self.maximumLength = longest
  }

  /// Returns the next line, without its end, or `nil` at the end of the file.
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
