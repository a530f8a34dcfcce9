/// A key of an object, in the reader's window: nothing is copied until it is asked for.
///
/// It is valid until the reader's next call, so compare it, or take its ``string``, before the value is read.
public struct JSONKey {
  @usableFromInline let start: UnsafePointer<UInt8>
  /// The length in bytes of UTF-8, escapes written out.
  public let count: Int
  /// The first eight bytes, the first of them lowest; zeros where the key is shorter.
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

  /// Eight bytes from a place on, the first of them lowest. Generated readers compare keys by them.
  ///
  /// - Parameter offset: At most ``count`` - 8; what goes beyond is taken for that.
  @inlinable
  public func word(at offset: Int) -> UInt64 {
    guard count >= 8 else { return word }
    return Words.load(start + Swift.min(Swift.max(offset, 0), count - 8))
  }

  /// The key's text. Invalid UTF-8 has been refused before.
  public var string: String {
    String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Whether the key has exactly these bytes.
  public static func == (key: JSONKey, text: StaticString) -> Bool {
    guard text.hasPointerRepresentation, text.utf8CodeUnitCount == key.count else { return false }
    return (0..<key.count).allSatisfy { key.start[$0] == text.utf8Start[$0] }
  }

  public static func != (key: JSONKey, text: StaticString) -> Bool { !(key == text) }
}
