import Foundation

/// Key paths by the names in the source.
///
/// The description of a key path has names for stored members only, and an address for a model's property; the
/// property's own key path has the same ``KeyPathSteps``, which tell its name.
enum ReadableKeyPath {
  /// As it stands in the source, such as `\Quake.location?.name`, where that can be told.
  static func text(_ keyPath: AnyKeyPath, _ layout: _ModelLayout) -> String {
    guard let (property, rest) = split(keyPath, layout) else { return text(keyPath) }
    return "\\\(layout.entityName).\(property.name)" + replacingAddresses(String(rest))
  }

  /// The same where the model is not at hand: what has no name there is told by its type.
  static func text(_ keyPath: AnyKeyPath) -> String { replacingAddresses("\(keyPath)") }

  /// `<computed 0x… (Int)>` by its name, or as `<computed or transient: Int>`: an address says nothing to a reader.
  private static func replacingAddresses(_ text: String) -> String {
    var text = text
    while let start = text.range(of: "<computed 0x") {
      let digits = text[start.upperBound...].prefix { $0.isHexDigit }
      // Behind the address stands the type, in parentheses.
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

  /// The columns of a member of an optional composite, whose key path cannot be put together from its parts.
  ///
  /// - Parameter isComputed: Whether the key path goes on to something computed from the member.
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
