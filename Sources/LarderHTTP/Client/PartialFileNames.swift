/// The names of a partial file next to its target: `.export.json.0.part` and so on.
struct PartialFileNames {
  /// 255 bytes: the longest name of a file on the usual file systems.
  private static let maximumLength = 255
  /// 12 bytes: two more than the leading dot and up to `.999.part` at the end take.
  private static let addedLength = 12

  private let stem: String

  init(of name: String) {
    let room = Self.maximumLength - Self.addedLength
    // A name too long for any file is kept: opening the file fails before a response is read.
    guard (room + 1...Self.maximumLength).contains(name.utf8.count) else {
      stem = name
      return
    }
    // A hash separates names with the same beginning, and is stable, so that leftovers are found again.
    let mark = "-" + String(Self.hash(name), radix: 16)
    var beginning = ""
    var left = room - mark.utf8.count
    for character in name {
      left -= character.utf8.count
      guard left >= 0 else { break }
      beginning.append(character)
    }
    stem = beginning + mark
  }

  subscript(number: Int) -> String { ".\(stem).\(number).part" }

  /// Returns the FNV-1a hash, 64 bits: the same in each process, unlike that of `Hasher`.
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
