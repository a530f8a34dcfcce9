import SwiftSyntax

/// Generates the initializer that reads a record.
struct RecordInitializer {
  private let record: RecordType

  init(_ record: RecordType) { self.record = record }

  /// The initializer. It distinguishes keys by their length, then by their bytes as whole words. Of a repeated key the first
  /// counts.
  var initializer: String {
    var lines = ["  \(record.access)init(reading reader: inout LarderJSON.JSONReader) throws {"]
    lines += record.assertions.map { "    " + $0 }
    for (index, property) in record.properties.enumerated() {
      lines.append("    var value\(index): Swift.Optional<\(storage(property.type))> = nil")
    }
    lines.append("    try reader.beginObject()")
    let converts = record.convertsFromSnakeCase && !record.properties.isEmpty
    lines += converts ? convertedKeys : keys
    for (index, property) in record.properties.enumerated() { lines.append(assignment(property, index)) }
    lines.append("  }")
    return lines.joined(separator: "\n")
  }

  private var keys: [String] {
    if record.properties.isEmpty { return ["    while try reader.nextKey() != nil { try reader.skipValue() }"] }
    return ["    while let key = try reader.nextKey() {"] + keySwitch("continue") + [
      "      try reader.skipValue()", "    }",
    ]
  }

  /// The loop over converted keys. The usual forms of keys are compared directly; other keys are converted, and compared again.
  private var convertedKeys: [String] {
    ["    keys: while var key = try reader.nextKey() {", "      while true {"]
      + keySwitch("continue keys").map { "  " + $0 }
      + [
        "        guard let converted = reader.camelCased(key) else { break }",
        "        key = converted",
        "      }",
        "      try reader.skipValue()",
        "    }",
      ]
  }

  private func keySwitch(_ next: String) -> [String] {
    var lines = ["      switch key.count {"]
    for (index, property) in record.properties.enumerated() {
      lines += [
        "      case \(KeyPattern.pattern(property)):",
        "        if value\(index) == nil {",
        "          value\(index) = .some(\(ReadExpression.expression(property.type, dates: property.dateFormat)))",
        "          \(next)",
        "        }",
      ]
    }
    return lines + ["      default: break", "      }"]
  }

  /// Returns the type of the local variable, since only a property may have the type `T!`.
  private func storage(_ type: TypeSyntax) -> String {
    guard let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return type.copied }
    return unwrapped.wrappedType.copied + "?"
  }

  private func assignment(_ property: RecordProperty, _ index: Int) -> String {
    if property.hasDefault { return "    if let value\(index) { self.\(property.name) = value\(index) }" }
    if property.type.isOptional { return "    self.\(property.name) = value\(index) ?? nil" }
    return """
          guard let value\(index) else { throw reader.missingKey(\((property.snakeCaseKey ?? property.key).stringLiteral)) }
          self.\(property.name) = value\(index)
      """
  }
}

/// A key as numbers.
enum KeyPattern {
  /// Returns the patterns of a `case` in a switch over the key's length.
  static func pattern(_ property: RecordProperty) -> String {
    let key = condition(property.key)
    guard let other = property.snakeCaseKey, other != property.key else { return key }
    return "\(condition(other)), \(key)"
  }

  private static func condition(_ key: String) -> String {
    let bytes = Array(key.utf8)
    func word(_ offset: Int) -> String {
      var word: UInt64 = 0
      for (index, byte) in bytes.dropFirst(offset).prefix(8).enumerated() { word |= UInt64(byte) << UInt64(index * 8) }
      return "0x" + String(word, radix: 16)
    }
    var tests = ["key.word == \(word(0))"]
    // The last word may overlap the previous one.
    var offset = 8
    while offset < bytes.count {
      let start = min(offset, bytes.count - 8)
      tests.append("key.word(at: \(start)) == \(word(start))")
      offset += 8
    }
    return "\(bytes.count) where \(tests.joined(separator: " && "))"
  }
}
