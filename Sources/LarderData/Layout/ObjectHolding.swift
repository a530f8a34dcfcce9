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
    if type is any ColumnValue.Type || TypeSearch.isLibrary(type) && !(type is any PartedType.Type) { return false }
    return Mirror(reflecting: value).children.contains { holdsObject($0.value, depth: depth + 1) }
  }
}

private struct TypeSearch {
  private var seen: Set<ObjectIdentifier> = []

  /// The library's own types have objects within, and are values all the same.
  static func isLibrary(_ type: any Any.Type) -> Bool {
    let name = String(reflecting: type)
    return ["Swift.", "Foundation.", "FoundationEssentials.", "FoundationInternationalization."].contains {
      name.hasPrefix($0)
    }
  }

  mutating func holding(_ type: any Any.Type) -> ObjectHolding {
    if type is AnyClass { return .always }
    if type is any ColumnValue.Type || !seen.insert(ObjectIdentifier(type)).inserted { return .never }
    if let parted = type as? any PartedType.Type { return holding(of: parted.partTypes) }
    if TypeSearch.isLibrary(type) || isPlain(type) { return .never }
    // Of other kinds the fields cannot be asked for: of an existential that ends the program.
    guard isStruct(type) else { return .depends }
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

  /// A type's metadata begins with its kind (the ABI's `MetadataKind`), which the library tells by no function of its own.
  private func isStruct(_ type: any Any.Type) -> Bool {
    unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee == _MetadataKind.struct.rawValue
  }

  /// Whether values are bits and nothing else.
  private func isPlain(_ type: any Any.Type) -> Bool {
    func isPOD<Value>(_ type: Value.Type) -> Bool { _isPOD(type) }
    return isPOD(type)
  }
}

/// A type of the standard library that is put together from others.
private protocol PartedType {
  static var partTypes: [any Any.Type] { get }
}

extension Optional: PartedType {
  static var partTypes: [any Any.Type] { [Wrapped.self] }
}

extension Array: PartedType {
  static var partTypes: [any Any.Type] { [Element.self] }
}

extension ContiguousArray: PartedType {
  static var partTypes: [any Any.Type] { [Element.self] }
}

extension ArraySlice: PartedType {
  static var partTypes: [any Any.Type] { [Element.self] }
}

extension Set: PartedType {
  static var partTypes: [any Any.Type] { [Element.self] }
}

extension Dictionary: PartedType {
  static var partTypes: [any Any.Type] { [Key.self, Value.self] }
}
