import Foundation

/// Key paths by the names in the source.
///
/// The description of a key path has names for stored members only, and an address for a model's property; the
/// property's own key path has the same ``KeyPathSteps``, which tell its name.
enum ReadableKeyPath {
  /// As it stands in the source, such as `\Quake.location?.name`, where that can be told.
  static func text(_ keyPath: AnyKeyPath, _ layout: ModelLayout) -> String {
    guard let (property, rest) = split(keyPath, layout) else { return "\(keyPath)" }
    return "\\\(layout.entityName).\(property.name)\(rest)"
  }

  /// The columns of a member of an optional composite, whose key path cannot be put together from its parts.
  ///
  /// - Parameter isComputed: Whether the key path goes on to something computed from the member.
  static func columnsThroughOptional(
    _ keyPath: AnyKeyPath, _ layout: ModelLayout, isComputed: Bool = false
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

  private static func split(_ keyPath: AnyKeyPath, _ layout: ModelLayout) -> (PropertyLayout, Substring)? {
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
