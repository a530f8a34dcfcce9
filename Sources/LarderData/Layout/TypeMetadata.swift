@_spi(Reflection) import Swift

/// What the runtime says of a type.
enum TypeMetadata {
  /// The library's own types have objects within, and are values all the same.
  static func isStandardLibrary(_ type: any Any.Type) -> Bool {
    let name = String(reflecting: type)
    return ["Swift.", "Foundation.", "FoundationEssentials.", "FoundationInternationalization."].contains {
      name.hasPrefix($0)
    }
  }

  /// A type's metadata begins with its kind (the ABI's `MetadataKind`), which the library tells by no function of its own.
  static func isStruct(_ type: any Any.Type) -> Bool {
    unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee == _MetadataKind.struct.rawValue
  }

  /// Whether values are bits and nothing else.
  static func isTrivial(_ type: any Any.Type) -> Bool {
    func isPOD<Value>(_ type: Value.Type) -> Bool { _isPOD(type) }
    return isPOD(type)
  }
}

/// A type of the standard library that is put together from others.
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
