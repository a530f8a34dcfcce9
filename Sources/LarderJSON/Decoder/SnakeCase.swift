import Foundation

/// The rules for keys in snake case: `convertFromSnakeCase` of `JSONDecoder` and `convertToSnakeCase` of `JSONEncoder`. The
/// decoder, the encoder and types that read themselves all use them.
enum SnakeCase {
  /// Returns a key in camel case: underscores within the key are removed and each word but the first is capitalized. Underscores at
  /// either end stay. A key of one word is unchanged.
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
    // Foundation begins a word after each character that is not a letter, too: `2fa` becomes `2Fa`. `capitalized` is slow.
    guard word.utf8.allSatisfy({ $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") }) else {
      return word.capitalized
    }
    return word.prefix(1).uppercased() + word.dropFirst().lowercased()
  }

  /// Returns a key in snake case. A word begins at each capital; of several adjacent capitals, at the first and at the last.
  static func snakeCase(_ key: String) -> String {
    guard !key.isEmpty else { return key }
    let scalars = key.unicodeScalars
    var words: [Substring] = []
    var start = key.startIndex
    var search = key.index(after: start)
    while let capital = scalars[search...].firstIndex(where: isCapital) {
      words.append(key[start..<capital])
      start = capital
      guard let small = scalars[capital...].firstIndex(where: isSmall) else { break }
      if small != key.index(after: capital) {
        // The last of several capitals begins the next word.
        start = key.index(before: small)
        words.append(key[capital..<start])
      }
      search = scalars.index(after: small)
    }
    words.append(key[start...])
    return words.map { $0.lowercased() }.joined(separator: "_")
  }

  private static func isCapital(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII ? "A"..."Z" ~= scalar : CharacterSet.uppercaseLetters.contains(scalar)
  }

  private static func isSmall(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII ? "a"..."z" ~= scalar : CharacterSet.lowercaseLetters.contains(scalar)
  }
}

extension JSONReader {
  /// Returns the camel-case form of a key, as `JSONDecoder`'s `convertFromSnakeCase` does: `updatedAt` for `updated_at`. Returns
  /// `nil` where the key is unchanged.
  ///
  /// ```swift
  /// while var key = try reader.nextKey() {
  ///   key = reader.camelCased(key) ?? key
  ///   if key == "updatedAt" { … }
  /// }
  /// ```
  ///
  /// The returned key replaces the original, and is valid as long as the original would be.
  public func camelCased(_ key: JSONKey) -> JSONKey? {
    let bytes = UnsafeBufferPointer(start: key.start, count: key.count)
    guard let words = SnakeCase.words(bytes) else { return nil }
    if bytes.allSatisfy(SnakeCase.isPlain) {
      let output = window.scratch(key.count)
      return JSONKey(start: UnsafePointer(output), count: SnakeCase.camelCase(bytes, words, to: output))
    }
    let text = key.string
    var converted = SnakeCase.camelCase(text)
    if converted.utf8.elementsEqual(text.utf8) { return nil }
    return converted.withUTF8 { bytes in
      let output = window.scratch(bytes.count)
      if let start = bytes.baseAddress { output.update(from: start, count: bytes.count) }
      return JSONKey(start: UnsafePointer(output), count: bytes.count)
    }
  }
}

// Conversion of ASCII keys byte by byte. A record that reads itself converts each key that it does not use this way.
extension SnakeCase {
  /// Returns the range of a key's words, between the underscores at its ends; `nil` where it is one word.
  fileprivate static func words(_ key: UnsafeBufferPointer<UInt8>) -> ClosedRange<Int>? {
    guard let first = key.firstIndex(where: { $0 != ASCIIByte.underscore }),
      let last = key.lastIndex(where: { $0 != ASCIIByte.underscore }),
      key[first...last].contains(ASCIIByte.underscore)
    else { return nil }
    return first...last
  }

  fileprivate static func isPlain(_ byte: UInt8) -> Bool {
    isLetter(byte) || ASCIIByte.isDigit(byte) || byte == ASCIIByte.underscore
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

  /// Writes a plain key of several words to a buffer, which may be the key's own, and returns the length.
  fileprivate static func camelCase(
    _ key: UnsafeBufferPointer<UInt8>, _ words: ClosedRange<Int>, to output: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var count = 0
    var isFirstWord = true
    // Whether the next letter continues a word. After a digit another word begins, as in Foundation.
    var isWithin = false
    for index in 0..<key.count {
      let byte = key[index]
      if byte == ASCIIByte.underscore, words.contains(index) {
        isFirstWord = false
        isWithin = false
        continue
      }
      let isLetter = isLetter(byte)
      output[count] = !isLetter ? byte : isFirstWord || isWithin ? byte | 0x20 : byte & ~0x20
      isWithin = isLetter
      count += 1
    }
    return count
  }
}
