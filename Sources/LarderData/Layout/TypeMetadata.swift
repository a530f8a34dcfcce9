@_spi(Reflection) import Swift

/// Information of the runtime about types.
enum TypeMetadata {
  /// Returns whether a type is the library's: such types contain objects, but behave as values.
  static func isStandardLibrary(_ type: any Any.Type) -> Bool {
    let name = String(reflecting: type)
    return ["Swift.", "Foundation.", "FoundationEssentials.", "FoundationInternationalization."].contains {
      name.hasPrefix($0)
    }
  }

  /// Returns whether a type is a struct. A type's metadata begins with its kind (the ABI's `MetadataKind`), for which the
  /// library has no function.
  static func isStruct(_ type: any Any.Type) -> Bool {
    unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee == _MetadataKind.struct.rawValue
  }

  /// Returns whether values consist of bits only.
  static func isTrivial(_ type: any Any.Type) -> Bool {
    func isPOD<Value>(_ type: Value.Type) -> Bool { _isPOD(type) }
    return isPOD(type)
  }
}

/// A type of the standard library that is composed of others.
protocol GenericContainerType {
  static var elementTypes: [any Any.Type] { get }
}

extension Optional: GenericContainerType {
  static var elementTypes: [any Any.Type] { [Wrapped.self] }
}

extension Array: GenericContainerType {
  static var elementTypes: [any Any.Type] { [Element.self] }
}

extension ContiguousArray: GenericContainerType {
  static var elementTypes: [any Any.Type] { [Element.self] }
}

extension ArraySlice: GenericContainerType {
  static var elementTypes: [any Any.Type] { [Element.self] }
}

extension Set: GenericContainerType {
  static var elementTypes: [any Any.Type] { [Element.self] }
}

extension Dictionary: GenericContainerType {
  static var elementTypes: [any Any.Type] { [Key.self, Value.self] }
}
