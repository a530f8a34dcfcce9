/// A key's text, which is the same as another if its bytes are. Swift's strings are the same by canonical equivalence, too:
/// é in one scalar or in two.
struct BytewiseKey: Hashable {
  private let text: String

  init(_ text: String) { self.text = text }

  static func == (one: BytewiseKey, other: BytewiseKey) -> Bool {
    // What Swift takes for different has different bytes, and it finds that out fastest.
    one.text == other.text && one.text.utf8.elementsEqual(other.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
