import Foundation

/// The one rule for keys in snake case: what `JSONDecoder` makes of a key by `convertFromSnakeCase`, and `JSONEncoder` by
/// `convertToSnakeCase`. The decoder, the encoder and types that read themselves all go by it.
enum SnakeCase {
  /// Underscores within a key go, and each word but the first is capitalized; those at either end stay. A key of one word
  /// stays as it is.
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
    // Foundation begins a word behind whatever is no letter, too: `2fa` becomes `2Fa`. It takes its time.
    guard word.utf8.allSatisfy({ $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") }) else {
      return word.capitalized
    }
    return word.prefix(1).uppercased() + word.dropFirst().lowercased()
  }

  /// The other way: a word begins at each capital, and where several stand together at the first and at the last of them.
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
  /// What a key becomes by `JSONDecoder`'s `convertFromSnakeCase`: `updatedAt` for `updated_at`. Nil where it stays as it is.
  ///
  /// ```swift
  /// while var key = try reader.nextKey() {
  ///   key = reader.camelCased(key) ?? key
  ///   if key == "updatedAt" { … }
  /// }
  /// ```
  ///
  /// What it returns is valid as long as the key is, and takes its place.
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

// Keys of ASCII alone, byte by byte: of a record that is read directly, each key that is not asked for comes this way.
extension SnakeCase {
  /// Where a key's words lie, between the underscores at its ends; nil where it is one word.
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

  /// Writes a plain key of several words, maybe to where it stands; returns its length.
  fileprivate static func camelCase(
    _ key: UnsafeBufferPointer<UInt8>, _ words: ClosedRange<Int>, to output: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var count = 0
    var isFirstWord = true
    // Whether a letter is within a word. Behind a digit another begins, as Foundation sees it.
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
