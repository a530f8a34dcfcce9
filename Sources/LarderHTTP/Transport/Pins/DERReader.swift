/// A reader of DER values (X.690, sections 8.1 and 10.1). Its input comes from a network: any invalid data ends the reading.
struct DERReader {
  /// A value: its tag, its content, and the whole value with its tag and length.
  struct Value {
    var tag: UInt8
    var content: ArraySlice<UInt8>
    var whole: ArraySlice<UInt8>
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The tag of the next value; nil at the end.
  var tag: UInt8? { rest.first }

  /// Returns the next value; nil if there is none, or it is damaged.
  mutating func next() -> Value? {
    var reader = rest
    // Tags of more than one byte occur nowhere in the outline of a certificate.
    guard let tag = reader.popFirst(), tag & 0x1F != 0x1F, let first = reader.popFirst() else { return nil }
    var count = Int(first)
    if first >= 0x80 {
      // A length of four bytes is more than any certificate has; one without bytes is no DER.
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

  /// Returns the next value, if it has this tag.
  mutating func next(_ tag: UInt8) -> Value? { self.tag == tag ? next() : nil }
}
