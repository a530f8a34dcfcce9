import Foundation

/// An optional type, recognised without knowing its wrapped type.
protocol OptionalType {
  static var wrappedType: any Any.Type { get }
  /// The key path from an optional to its wrapped value: the `!` in `\Quake.place!.name`.
  static var forceUnwrapKeyPath: AnyKeyPath { get }
}

extension Optional: OptionalType {
  static var wrappedType: any Any.Type { Wrapped.self }
  static var forceUnwrapKeyPath: AnyKeyPath { \Self.! }
}

/// A collection type, recognised without knowing its element type.
protocol CollectionType {
  static var elementType: any Any.Type { get }
  /// Returns the type's name as in source code, with the name of its elements' type inside.
  static func name(ofElements name: String) -> String
}

extension Array: CollectionType {
  static var elementType: any Any.Type { Element.self }
  static func name(ofElements name: String) -> String { "[\(name)]" }
}

extension Set: CollectionType {
  static var elementType: any Any.Type { Element.self }
  static func name(ofElements name: String) -> String { "Set<\(name)>" }
}

/// Facts about a property's static type that the schema needs.
package enum ValueTypes {
  /// A placeholder for a type that does not exist in this program: a schema of another program names it.
  enum Unresolved {}

  package static func isOptional(_ type: any Any.Type) -> Bool { type is any OptionalType.Type }

  /// Returns the type without its `Optional`s.
  static func unwrapped(_ type: any Any.Type) -> any Any.Type {
    var type = type
    while let optional = type as? any OptionalType.Type { type = optional.wrappedType }
    return type
  }

  /// Returns whether the store has a built-in form for this type.
  package static func isStandard(_ type: any Any.Type) -> Bool { namesOfStandardTypes[ObjectIdentifier(type)] != nil }

  /// Returns the model that a property of this type references, and whether it is to-many; nil for the type of an attribute.
  static func destination(of type: any Any.Type) -> (model: any PersistentModel.Type, isToMany: Bool)? {
    let bare = unwrapped(type)
    if let model = bare as? any PersistentModel.Type { return (model, false) }
    guard let elements = bare as? any CollectionType.Type else { return nil }
    guard let model = elements.elementType as? any PersistentModel.Type else { return nil }
    return (model, true)
  }

  /// Returns a type's name in a coded schema.
  ///
  /// This is the name in source code, without modules. A type's full name differs between systems (`Foundation.Date`
  /// here, `FoundationEssentials.Date` there). It also changes when a model moves to another module, although the stored
  /// data stay the same.
  static func name(of type: any Any.Type) -> String {
    if let optional = type as? any OptionalType.Type { return name(of: optional.wrappedType) + "?" }
    if let known = namesOfStandardTypes[ObjectIdentifier(type)] { return known }
    if let elements = type as? any CollectionType.Type {
      return elements.name(ofElements: name(of: elements.elementType))
    }
    return String(describing: type)
  }

  /// 8: the maximum number of nested optionals and arrays in a type's name. No model has as many, but a crafted file may; and
  /// each level of optionals doubles the time in which the runtime resolves the type.
  static let maximumNameDepth = 8

  /// Returns the type with a name that `name(of:)` returned, if it is known; otherwise `Unresolved`.
  package static func type(named name: String) -> any Any.Type { type(named: name[...], depth: 0) }

  private static func type(named name: Substring, depth: Int) -> any Any.Type {
    let isOptional = name.hasSuffix("?")
    guard isOptional || name.hasPrefix("[") && name.hasSuffix("]") else {
      return standardTypesByName[String(name)] ?? Unresolved.self
    }
    if depth == maximumNameDepth { return Unresolved.self }
    let wrapped = type(named: isOptional ? name.dropLast() : name.dropFirst().dropLast(), depth: depth + 1)
    return isOptional ? optional(wrapped) : array(wrapped)
  }

  private static func optional<T>(_ type: T.Type) -> any Any.Type { T?.self }
  private static func array<T>(_ type: T.Type) -> any Any.Type { [T].self }

  private static let standardTypesByName: [String: any Any.Type] = [
    "Bool": Bool.self, "String": String.self, "Character": Character.self,
    "Int": Int.self, "Int8": Int8.self, "Int16": Int16.self, "Int32": Int32.self, "Int64": Int64.self,
    "UInt": UInt.self, "UInt8": UInt8.self, "UInt16": UInt16.self, "UInt32": UInt32.self, "UInt64": UInt64.self,
    "Float": Float.self, "Double": Double.self, "Decimal": Decimal.self,
    "Date": Date.self, "Data": Data.self, "UUID": UUID.self, "URL": URL.self,
  ]

  private static let namesOfStandardTypes: [ObjectIdentifier: String] = Dictionary(
    uniqueKeysWithValues: standardTypesByName.map { (ObjectIdentifier($0.value), $0.key) })
}
