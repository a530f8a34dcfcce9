import Foundation

/// A type that may be nil, recognised without knowing what it wraps.
protocol OptionalType {
  static var wrappedType: any Any.Type { get }
  /// The key path from an optional to what it holds: the `!` in `\Quake.place!.name`.
  static var forceUnwrapKeyPath: AnyKeyPath { get }
}

extension Optional: OptionalType {
  static var wrappedType: any Any.Type { Wrapped.self }
  static var forceUnwrapKeyPath: AnyKeyPath { \Self.! }
}

/// A type that holds many elements, recognised without knowing which.
protocol CollectionType {
  static var elementType: any Any.Type { get }
  /// The type's name as its user writes it, around that of its elements.
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

/// What the schema asks of a property's static type.
package enum ValueTypes {
  /// The type of a value whose own type does not exist in this program: one that another program's schema names.
  enum Unresolved {}

  package static func isOptional(_ type: any Any.Type) -> Bool { type is any OptionalType.Type }

  /// The type without its `Optional`s.
  static func unwrapped(_ type: any Any.Type) -> any Any.Type {
    var type = type
    while let optional = type as? any OptionalType.Type { type = optional.wrappedType }
    return type
  }

  /// Whether the store has a form of its own for this type.
  package static func isStandard(_ type: any Any.Type) -> Bool { namesOfStandardTypes[ObjectIdentifier(type)] != nil }

  /// The model that a property of this type refers to, and whether to many of them; nil for an attribute's type.
  static func destination(of type: any Any.Type) -> (model: any PersistentModel.Type, isToMany: Bool)? {
    let bare = unwrapped(type)
    if let model = bare as? any PersistentModel.Type { return (model, false) }
    guard let elements = bare as? any CollectionType.Type else { return nil }
    guard let model = elements.elementType as? any PersistentModel.Type else { return nil }
    return (model, true)
  }

  /// A type's name in a stored schema.
  ///
  /// It is the name that a user writes, without modules: a type's full name differs from system to system
  /// (`Foundation.Date` here, `FoundationEssentials.Date` there) and changes when a model moves to another module,
  /// which is no change to what is stored.
  static func name(of type: any Any.Type) -> String {
    if let optional = type as? any OptionalType.Type { return name(of: optional.wrappedType) + "?" }
    if let known = namesOfStandardTypes[ObjectIdentifier(type)] { return known }
    if let elements = type as? any CollectionType.Type {
      return elements.name(ofElements: name(of: elements.elementType))
    }
    return String(describing: type)
  }

  /// How many optionals and arrays may be around a type whose name is told. No model has as many, but a file that somebody
  /// has made may; and with each optional inside another, what asks the runtime for the type takes twice as long.
  static let maximumNameDepth = 8

  /// The type with a name that `name(of:)` gave, where it can be told; else `Unresolved`.
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
