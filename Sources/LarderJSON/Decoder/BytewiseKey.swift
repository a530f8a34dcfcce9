/// A key that is compared by its bytes. `String` compares by canonical equivalence, so that é in one scalar equals é in two.
struct BytewiseKey: Hashable {
  private let text: String

  init(_ text: String) { self.text = text }

  static func == (one: BytewiseKey, other: BytewiseKey) -> Bool {
    // Strings that Swift finds different have different bytes, and that comparison is the fastest.
    one.text == other.text && one.text.utf8.elementsEqual(other.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
