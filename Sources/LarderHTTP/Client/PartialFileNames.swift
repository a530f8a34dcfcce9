/// The names that a file may have while it is written beside another: `.export.json.0.part` and so on.
struct PartialFileNames {
  /// 255 bytes: the longest name of a file on the usual file systems.
  private static let maximumLength = 255
  /// 12 bytes: two more than a dot before the name and up to `.999.part` behind it take.
  private static let addedLength = 12

  private let stem: String

  init(of name: String) {
    let room = Self.maximumLength - Self.addedLength
    // One that is too long for any file stays as it is: opening says so before anything is read.
    guard (room + 1...Self.maximumLength).contains(name.utf8.count) else {
      stem = name
      return
    }
    // Whatever begins alike is told apart, and what was left of a file is found again.
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

  /// FNV-1a, 64 bits: the same in each process, which what `Hasher` gives is not.
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
