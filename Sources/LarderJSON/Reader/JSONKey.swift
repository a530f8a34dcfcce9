/// A key of an object, in the reader's window. Its bytes are copied only on request.
///
/// A key is valid until the reader's next call, so compare the key, or take its ``string``, before you read the value.
public struct JSONKey {
  @usableFromInline let start: UnsafePointer<UInt8>
  /// The length in bytes of UTF-8, after unescaping.
  public let count: Int
  /// The first eight bytes in little-endian order; zeros where the key is shorter.
  public let word: UInt64

  @usableFromInline
  init(start: UnsafePointer<UInt8>, count: Int, word: UInt64) {
    self.start = start
    self.count = count
    self.word = word
  }

  init(start: UnsafePointer<UInt8>, count: Int) {
    self.init(start: start, count: count, word: count < 8 ? Words.gather(start, count) : Words.load(start))
  }

  /// Returns the eight bytes at an offset, in little-endian order. Generated readers compare keys by these words.
  ///
  /// - Parameter offset: At most ``count`` - 8; a greater offset is reduced to that.
  @inlinable
  public func word(at offset: Int) -> UInt64 {
    guard count >= 8 else { return word }
    return Words.load(start + Swift.min(Swift.max(offset, 0), count - 8))
  }

  /// The key's text. Invalid UTF-8 has been rejected before.
  public var string: String {
    String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Returns whether the key has exactly the specified bytes.
  public static func == (key: JSONKey, text: StaticString) -> Bool {
    guard text.hasPointerRepresentation, text.utf8CodeUnitCount == key.count else { return false }
    return (0..<key.count).allSatisfy { key.start[$0] == text.utf8Start[$0] }
  }

  public static func != (key: JSONKey, text: StaticString) -> Bool { !(key == text) }
}
