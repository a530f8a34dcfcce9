@_spi(Reflection) import Swift

/// Whether values of a type may hold objects, which change without an assignment.
///
/// An object that was changed and is then assigned again is the one that the property has already: comparing the two says
/// nothing. So each assignment of such a value is a change.
enum ObjectHolding {
  case never
  case always
  /// An enumeration, or an existential: the value itself says it.
  case depends

  static func of(_ type: any Any.Type) -> ObjectHolding {
    var search = TypeSearch()
    return search.holding(type)
  }

  /// Whether a value of a type that depends on it holds an object.
  static func holdsObject(_ value: Any) -> Bool { holdsObject(value, depth: 0) }

  private static let deepest = 32

  private static func holdsObject(_ value: Any, depth: Int) -> Bool {
    let type = Swift.type(of: value)
    if type is AnyClass || depth == deepest { return true }
    if type is any ColumnValue.Type || TypeKinds.isLibrary(type) && !(type is any PartedType.Type) { return false }
    return Mirror(reflecting: value).children.contains { holdsObject($0.value, depth: depth + 1) }
  }
}

private struct TypeSearch {
  private var seen: Set<ObjectIdentifier> = []

  mutating func holding(_ type: any Any.Type) -> ObjectHolding {
    if type is AnyClass { return .always }
    if type is any ColumnValue.Type || !seen.insert(ObjectIdentifier(type)).inserted { return .never }
    if let parted = type as? any PartedType.Type { return holding(of: parted.partTypes) }
    if TypeKinds.isLibrary(type) || TypeKinds.isPlain(type) { return .never }
    // Of other kinds the fields cannot be asked for: of an existential that ends the program.
    guard TypeKinds.isStruct(type) else { return .depends }
    var fields: [any Any.Type] = []
    let isWhole = _forEachField(of: type, options: []) { _, _, type, _ in
      fields.append(type)
      return true
    }
    return isWhole ? holding(of: fields) : .depends
  }

  private mutating func holding(of types: [any Any.Type]) -> ObjectHolding {
    var result = ObjectHolding.never
    for type in types {
      switch holding(type) {
      case .always: return .always
      case .depends: result = .depends
      case .never: continue
      }
    }
    return result
  }
}
