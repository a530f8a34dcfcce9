import SwiftSyntax

/// A property that `@Model` stores: what the expansions need to know of it.
struct PersistedProperty {
  /// The name as it is written, in backticks where it needs them.
  let token: TokenSyntax
  /// The place in the declaration order of persisted properties.
  let index: Int
  let type: PropertyType
  let kind: PropertyKind
  /// The initial value as it is written.
  let initialValue: String?
  /// `@Attribute` or `@Relationship`, where one is written.
  let marker: AttributeSyntax?

  /// Whether it is read and written by constant places.
  var isScalar: Bool { type.isScalar && kind == .ordinary }
  var name: String { token.bareName }
  var spelling: String { token.text }
  /// The stored property that holds the value.
  var field: String { PersistedStorage.name(for: token) }
  /// The value in it, as it is read and written: nil in a property without a value, where the type is not plainly a scalar's.
  var storage: String { PersistedStorage.value(in: field, isScalar: isScalar) }
  var key: String { PersistedStorage.keyName(for: token) }
  var mask: String { PersistedStorage.mask(index) }

  /// What an object that is made from a row gives an ephemeral property: the value that it begins with, which Swift has
  /// given it already where one is written.
  var ephemeralInitialization: String {
    initialValue == nil ? "  \(field) = .init(\(type.isOptional ? "nil" : ""))\n" : ""
  }
  /// What gives the storage something to hold before there is a value.
  var emptyInitialization: String { "  \(field) = \(isScalar ? "LarderData._$zero()" : ".init()")\n" }
}

/// What the macros agree on about a property's storage.
enum PersistedStorage {
  /// The mask of changed properties is one word: properties from this one on share its last bit.
  static let lastBit = 63

  static func name(for token: TokenSyntax) -> String { ("_" + token.bareName).asIdentifier }

  static func value(in field: String, isScalar: Bool) -> String { isScalar ? field : "\(field).stored.value" }

  /// What stands beside the storage of a property that may be a relationship: the other row's key, for a to-one.
  static func keyName(for token: TokenSyntax) -> String {
    let key = token.bareName + "_$key"
    // What needs backticks without the suffix needs them with it.
    return name(for: token).hasPrefix("`") ? "`\(key)`" : key
  }

  static func mask(_ index: Int) -> String {
    "0x" + String(UInt64(1) << UInt64(min(index, lastBit)), radix: 16)
  }
}
