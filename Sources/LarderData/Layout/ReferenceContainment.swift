@_spi(Reflection) import Swift

/// Whether values of a type may contain objects, which change without an assignment.
///
/// An object that was changed and is then assigned again is identical to the property's value: a comparison finds no
/// difference. So each assignment of such a value counts as a change.
enum ReferenceContainment {
  case never
  case always
  /// An enumeration, or an existential: it depends on the value.
  case dynamic

  static func of(_ type: any Any.Type) -> ReferenceContainment {
    var search = TypeSearch()
    return search.containment(in: type)
  }

  /// Returns whether a value contains an object, for a type for which it depends on the value.
  static func containsReference(_ value: Any) -> Bool { containsReference(value, depth: 0) }

  private static let maximumDepth = 32

  private static func containsReference(_ value: Any, depth: Int) -> Bool {
    let type = Swift.type(of: value)
    if type is AnyClass || depth == maximumDepth { return true }
    if type is any _ColumnValue.Type || TypeMetadata.isStandardLibrary(type) && !(type is any GenericContainerType.Type)
    {
      return false
    }
    return Mirror(reflecting: value).children.contains { containsReference($0.value, depth: depth + 1) }
  }
}

private struct TypeSearch {
  private var visited: Set<ObjectIdentifier> = []

  mutating func containment(in type: any Any.Type) -> ReferenceContainment {
    if type is AnyClass { return .always }
    if type is any _ColumnValue.Type || !visited.insert(ObjectIdentifier(type)).inserted { return .never }
    if let parted = type as? any GenericContainerType.Type { return containment(inAny: parted.elementTypes) }
    if TypeMetadata.isStandardLibrary(type) || TypeMetadata.isTrivial(type) { return .never }
    // The fields of other kinds are not accessible: for an existential the attempt crashes the program.
    guard TypeMetadata.isStruct(type) else { return .dynamic }
    var fields: [any Any.Type] = []
    let isWhole = _forEachField(of: type, options: []) { _, _, type, _ in
      fields.append(type)
      return true
    }
    return isWhole ? containment(inAny: fields) : .dynamic
  }

  private mutating func containment(inAny types: [any Any.Type]) -> ReferenceContainment {
    var result = ReferenceContainment.never
    for type in types {
      switch containment(in: type) {
      case .always: return .always
      case .dynamic: result = .dynamic
      case .never: continue
      }
    }
    return result
  }
}
