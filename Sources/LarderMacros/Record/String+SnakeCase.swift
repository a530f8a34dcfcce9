// The rule by which LarderJSON, JSONDecoder and JSONEncoder convert keys, for the names of properties. The reader converts the keys
// of documents at run time.
extension String {
  /// The name by `convertToSnakeCase`: a word begins at each capital; of several adjacent capitals, at the first and at the last of
  /// them.
  var snakeCase: String {
    guard !isEmpty else { return self }
    var words: [Substring] = []
    var start = startIndex
    var search = index(after: start)
    while let capital = unicodeScalars[search...].firstIndex(where: \.properties.isCapital) {
      words.append(self[start..<capital])
      start = capital
      guard let small = unicodeScalars[capital...].firstIndex(where: \.properties.isSmall) else { break }
      if small != index(after: capital) {
        start = index(before: small)
        words.append(self[capital..<start])
      }
      search = unicodeScalars.index(after: small)
    }
    words.append(self[start...])
    return words.map { $0.lowercased() }.joined(separator: "_")
  }

  /// The name by `convertFromSnakeCase`: underscores within the name are removed, and each word but the first is capitalized.
  var camelCase: String {
    guard let first = firstIndex(where: { $0 != "_" }), let last = lastIndex(where: { $0 != "_" }) else { return self }
    let words = self[first...last].split(separator: "_")
    guard words.count > 1 else { return self }
    let middle = words[0].lowercased() + words.dropFirst().map(\.capitalizedByLetters).joined()
    return self[..<first] + middle + self[index(after: last)...]
  }
}

extension Substring {
  /// The text by the rule of Foundation's `capitalized`: each letter that follows no letter is a capital, and the others are small.
  fileprivate var capitalizedByLetters: String {
    var text = ""
    var isWithin = false
    for scalar in unicodeScalars {
      let properties = scalar.properties
      if properties.isCapital {
        text += isWithin ? properties.lowercaseMapping : String(scalar)
      } else if properties.isSmall {
        text += isWithin ? String(scalar) : properties.titlecaseMapping
      } else {
        text.unicodeScalars.append(scalar)
      }
      isWithin = properties.isCapital || properties.isSmall
    }
    return text
  }
}

extension Unicode.Scalar.Properties {
  fileprivate var isCapital: Bool { generalCategory == .uppercaseLetter || generalCategory == .titlecaseLetter }
  fileprivate var isSmall: Bool { generalCategory == .lowercaseLetter }
}
