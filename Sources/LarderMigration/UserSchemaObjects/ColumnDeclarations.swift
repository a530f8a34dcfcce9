import LarderData

/// The declarations of a table's columns, as written in its CREATE TABLE statement.
///
/// SQLite reports a column's type and default, but not its collation, its checks or the expression of a computed
/// column.
struct ColumnDeclarations {
  private var declarations: [String: String] = [:]
  /// The table's own constraints, such as a CHECK, that the store did not create.
  private(set) var constraints: [String] = []
  /// The number of constraints that have the form of the store's class checks.
  private(set) var classChecks = 0

  init(_ creation: String) {
    for part in ColumnDeclarations.definitions(in: creation) {
      if let name = ColumnDeclarations.name(part) {
        declarations[name.lowercased()] = part
      } else if ColumnDeclarations.isClassCheck(part) {
        classChecks += 1
      } else {
        constraints.append(part)
      }
    }
  }

  /// Returns a column's declaration, including its name. Names are not case-sensitive in SQLite.
  subscript(column: String) -> String? { declarations[column.lowercased()] }

  /// Returns whether a constraint has the form of the store's class checks for a hierarchy: which classes exist, and
  /// which columns belong to a class. A constraint of the user's own may also name the class of a row.
  private static func isClassCheck(_ part: String) -> Bool {
    var bare = String.UnicodeScalarView()
    var rest = Array(part.unicodeScalars)[...]
    while let scalar = rest.first {
      let length = closing[scalar].map { lengthOfQuoted(rest, $0) } ?? 1
      if length == 1, !scalar.properties.isWhitespace, scalar != "," { bare.append(scalar) }
      rest = rest.dropFirst(length)
    }
    let name = StoreFormat.classColumn
    var words = String(bare)
    if words == "CHECK(\(name)IN())" { return true }
    words = words.replacing("ISNOTNULLAND", with: "").replacing("ISNOTNULL", with: "")
    return words == "CHECK(\(name)NOTIN()OR())"
  }

  /// Returns the parts between the commas of the outermost parentheses, without comments.
  private static func definitions(in creation: String) -> [String] {
    var parts: [String] = []
    var part = String.UnicodeScalarView()
    var depth = 0
    var rest = Array(creation.unicodeScalars)[...]
    while let scalar = rest.first {
      if let length = lengthOfComment(rest) {
        rest = rest.dropFirst(length)
        if depth > 0 { part.append(" ") }
        continue
      }
      let length = closing[scalar].map { lengthOfQuoted(rest, $0) } ?? 1
      let token = rest.prefix(length)
      rest = rest.dropFirst(length)
      if scalar == ")" { depth -= 1 }
      if depth == 0, scalar == ")" { break }
      if depth == 1, scalar == "," {
        parts.append(trimmed(part))
        part = String.UnicodeScalarView()
      } else if depth > 0 {
        part.append(contentsOf: token)
      }
      if scalar == "(" { depth += 1 }
    }
    return (parts + [trimmed(part)]).filter { !$0.isEmpty }
  }

  private static let closing: [Unicode.Scalar: Unicode.Scalar] = ["\"": "\"", "'": "'", "`": "`", "[": "]"]

  private static func lengthOfComment(_ text: ArraySlice<Unicode.Scalar>) -> Int? {
    if text.starts(with: "--".unicodeScalars) {
      return text.firstIndex(of: "\n").map { $0 - text.startIndex + 1 } ?? text.count
    }
    guard text.starts(with: "/*".unicodeScalars) else { return nil }
    var end = text.startIndex + 2
    while end < text.endIndex, !text[end...].starts(with: "*/".unicodeScalars) { end += 1 }
    return min(end + 2, text.endIndex) - text.startIndex
  }

  /// Returns the length of a quoted text. An escaped quote is doubled; it is then read as two adjacent quoted texts,
  /// which is equivalent here.
  private static func lengthOfQuoted(_ text: ArraySlice<Unicode.Scalar>, _ closing: Unicode.Scalar) -> Int {
    text.dropFirst().firstIndex(of: closing).map { $0 - text.startIndex + 1 } ?? text.count
  }

  private static func trimmed(_ part: String.UnicodeScalarView) -> String {
    let isSpace: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
    let start = part.drop(while: isSpace)
    let length = start.count - start.reversed().prefix(while: isSpace).count
    return String(String.UnicodeScalarView(start.prefix(length)))
  }

  /// Returns the name at the beginning of a declaration; `nil` for a constraint of the table.
  private static func name(_ part: String) -> String? {
    let scalars = Array(part.unicodeScalars)
    guard let first = scalars.first else { return nil }
    guard let closing = closing[first] else {
      let word = scalars.prefix { !$0.properties.isWhitespace && $0 != "(" && closing[$0] == nil }
      let name = String(String.UnicodeScalarView(word))
      return ["constraint", "check", "primary", "unique", "foreign"].contains(name.lowercased()) ? nil : name
    }
    var name = String.UnicodeScalarView()
    var place = 1
    while place < scalars.count {
      if scalars[place] == closing {
        guard closing != "]", place + 1 < scalars.count, scalars[place + 1] == closing else { break }
        place += 1
      }
      name.append(scalars[place])
      place += 1
    }
    return String(name)
  }
}
