import SwiftSyntax

/// A property that `@Model` stores, with the facts that the expansions need.
struct PersistedProperty {
  /// The name in the source, with backticks where it needs them.
  let token: TokenSyntax
  /// The index in the declaration order of persisted properties.
  let index: Int
  let type: PropertyType
  let kind: PropertyKind
  /// The initial value in the source.
  let initialValue: String?
  /// The `@Attribute` or `@Relationship` in the source, if any.
  let marker: AttributeSyntax?

  /// Whether the property is read and written by constant indices.
  var isScalar: Bool { type.isScalar && kind == .ordinary }
  var name: String { token.bareName }
  var spelling: String { token.text }
  /// The stored property that holds the value.
  var field: String { PersistedStorage.name(for: token) }
  /// The expression for reading and writing its value: nil in a property without a value, unless the type is plainly a scalar.
  var storage: String { PersistedStorage.value(in: field, isScalar: isScalar) }
  var key: String { PersistedStorage.keyName(for: token) }
  var mask: String { PersistedStorage.mask(index) }

  /// The initialization of an ephemeral property in an object from a row: its initial value, which Swift has assigned already if
  /// the
  /// source has one.
  var ephemeralInitialization: String {
    initialValue == nil ? "  \(field) = .init(\(type.isOptional ? "nil" : ""))\n" : ""
  }
  /// The initialization of the storage before it has a value.
  var emptyInitialization: String { "  \(field) = \(isScalar ? "LarderData._$zero()" : ".init()")\n" }
}

/// The macros' shared names for a property's storage.
enum PersistedStorage {
  /// The mask of changed properties is one word: properties from this one on share its last bit.
  static let lastBit = 63

  static func name(for token: TokenSyntax) -> String { ("_" + token.bareName).asIdentifier }

  static func value(in field: String, isScalar: Bool) -> String { isScalar ? field : "\(field).stored.value" }

  /// Returns the name of the property next to the storage of a possible relationship: for a to-one, the foreign key.
  static func keyName(for token: TokenSyntax) -> String {
    let key = token.bareName + "_$key"
    // A name that needs backticks without the suffix needs them with it.
    return name(for: token).hasPrefix("`") ? "`\(key)`" : key
  }

  static func mask(_ index: Int) -> String {
    "0x" + String(UInt64(1) << UInt64(min(index, lastBit)), radix: 16)
  }
}
