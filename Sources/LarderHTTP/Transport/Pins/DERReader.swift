/// Reads one value after the other of DER (X.690, section 8.1 and 10.1). What it reads comes from a network: anything
/// that is not as it should be is an end.
struct DERReader {
  /// A value: its tag, its content, and all of it with its tag and length.
  struct Value {
    var tag: UInt8
    var content: ArraySlice<UInt8>
    var whole: ArraySlice<UInt8>
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The tag of the next value; nil at the end.
  var tag: UInt8? { rest.first }

  /// The next value; nil where there is none, or it is damaged.
  mutating func next() -> Value? {
    var reader = rest
    // Tags of more than one byte are in no certificate's outline.
    guard let tag = reader.popFirst(), tag & 0x1F != 0x1F, let first = reader.popFirst() else { return nil }
    var count = Int(first)
    if first >= 0x80 {
      // Four bytes of length are more than any certificate has; none at all is no DER.
      let bytes = Int(first & 0x7F)
      guard (1...4).contains(bytes), reader.count >= bytes else { return nil }
      count = 0
      for _ in 0..<bytes { count = count << 8 | Int(reader.removeFirst()) }
    }
    guard count <= reader.count else { return nil }
    let end = reader.startIndex + count
    defer { rest = rest[end...] }
    return Value(tag: tag, content: reader[..<end], whole: rest[..<end])
  }

  /// The next value, if it has this tag.
  mutating func next(_ tag: UInt8) -> Value? { self.tag == tag ? next() : nil }
}
