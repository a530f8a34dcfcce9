import Foundation

/// Key paths as text with the names of the source.
///
/// The description of a key path has names for stored members only, and an address for a model's property. The
/// property's own key path has the same ``KeyPathSteps``, which identify its name.
enum ReadableKeyPath {
  /// Returns the key path as in the source, such as `\Quake.location?.name`, where its names are known.
  static func text(_ keyPath: AnyKeyPath, _ layout: _ModelLayout) -> String {
    guard let (property, rest) = split(keyPath, layout) else { return text(keyPath) }
    return "\\\(layout.entityName).\(property.name)" + replacingAddresses(String(rest))
  }

  /// Returns the same without a model: a step without a name is described by its type.
  static func text(_ keyPath: AnyKeyPath) -> String { replacingAddresses("\(keyPath)") }

  /// Replaces `<computed 0x… (Int)>` by its name, or by `<computed or transient: Int>`, since an address means nothing to a
  /// reader.
  private static func replacingAddresses(_ text: String) -> String {
    var text = text
    while let start = text.range(of: "<computed 0x") {
      let digits = text[start.upperBound...].prefix { $0.isHexDigit }
      // The type follows the address, in parentheses.
      let isTyped = text[digits.endIndex...].hasPrefix(" (")
      let end = isTyped ? text.range(of: ")>", range: digits.endIndex..<text.endIndex) : nil
      guard let end else {
        text.replaceSubrange(start.lowerBound..<digits.endIndex, with: "<computed or transient")
        continue
      }
      let name = UInt(digits, radix: 16).flatMap { SymbolNames.property(ofAccessor: $0) }
      let type = text[text.index(digits.endIndex, offsetBy: 2)..<end.lowerBound]
      text.replaceSubrange(start.lowerBound..<end.upperBound, with: name ?? "<computed or transient: \(type)>")
    }
    return text
  }

  /// Returns the columns of a member of an optional composite, whose key path cannot be built from its parts.
  ///
  /// - Parameter isComputed: Whether the key path continues with a step to a value computed from the member.
  static func columnsThroughOptional(
    _ keyPath: AnyKeyPath, _ layout: _ModelLayout, isComputed: Bool = false
  ) -> Range<Int>? {
    guard let (property, whole) = split(keyPath, layout), whole.hasPrefix("?") else { return nil }
    var rest = whole
    if isComputed, let step = whole.range(of: ".<computed") { rest = whole[..<step.lowerBound] }
    var members = property.codec.members
    var found: CompositeMember?
    for name in rest.split(whereSeparator: { $0 == "." || $0 == "?" }) {
      found = members?.first { $0.name == name }
      guard found != nil else { return nil }
      members = found?.members
    }
    guard let found else { return nil }
    let first = property.columns.lowerBound
    return found.columns.lowerBound + first..<found.columns.upperBound + first
  }

  private static func split(_ keyPath: AnyKeyPath, _ layout: _ModelLayout) -> (PropertyLayout, Substring)? {
    let text = KeyPathSteps.text(keyPath)
    for (property, own) in zip(layout.properties, KeyPathSteps.properties(of: layout)) {
      guard text.hasPrefix(own) else { continue }
      let rest = text.dropFirst(own.count)
      // Not a longer name that begins with this one.
      if rest.isEmpty || rest.first == "." || rest.first == "?" { return (property, rest) }
    }
    return nil
  }
}
