/// The rule of `convertFromSnakeCase`, which JSONDecoder has made usual: underscores within a key go, and each word but the
/// first begins with a capital; those at either end stay.
enum SnakeCase {
  static func camelCase(_ key: String) -> String {
    guard let first = key.firstIndex(where: { $0 != "_" }), let last = key.lastIndex(where: { $0 != "_" }) else {
      return key
    }
    let words = key[first...last].split(separator: "_")
    guard words.count > 1 else { return key }
    let middle = words[0].lowercased() + words.dropFirst().map(capitalized).joined()
    return key[..<first] + middle + key[key.index(after: last)...]
  }

  private static func capitalized(_ word: Substring) -> String {
    String(word.prefix(1)).uppercased() + word.dropFirst().lowercased()
  }

  /// The other way, as `convertToSnakeCase` has it: a word begins at a capital behind a small letter, and at the last
  /// of several capitals.
  static func snakeCase(_ key: String) -> String {
    let letters = Array(key)
    var result = ""
    for (index, letter) in letters.enumerated() {
      if letter.isUppercase, index > 0, letters[index - 1] != "_" {
        let isBehindCapital = letters[index - 1].isUppercase
        let isBeforeSmall = index + 1 < letters.count && letters[index + 1].isLowercase
        if !isBehindCapital || isBeforeSmall { result += "_" }
      }
      result += letter.lowercased()
    }
    return result
  }
}
