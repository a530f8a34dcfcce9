/// What somebody else has written, to be shown to a person.
enum ForeignText {
  /// Three lines of a terminal: enough for a reason.
  static let longest = 240

  /// Nothing that a terminal would obey.
  static func plain(_ text: some StringProtocol) -> String {
    String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
  }

  /// A reason that is stored and shown: plain, and no longer than anybody reads.
  static func reason(_ text: String) -> String {
    // By scalars, of which one character may have any number.
    guard text.unicodeScalars.count > longest else { return plain(text) }
    return plain(String(text.unicodeScalars.prefix(longest))) + "…"
  }
}
