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
  var written: String { token.text }
  var storage: String { PersistedStorage.name(for: token) }
  var key: String { PersistedStorage.keyName(for: token) }
  var mask: String { PersistedStorage.mask(index) }

  /// What an object that is made from a row gives an ephemeral property: the value that it begins with, which Swift has
  /// given it already where one is written.
  var ephemeralStart: String { initialValue == nil ? "  \(storage) = \(type.isOptional ? ".some(nil)" : "nil")\n" : "" }
}

extension PersistedProperty {
  /// The declarations of what holds the value, and of what stands beside it.
  var storageDeclarations: [String] {
    // Nothing runs while the storage of an object that others know is read or written, so there is nothing to check:
    // whoever puts a value in the place of another lets go of that one afterwards (`_$exchange`).
    let declared = "@exclusivity(unchecked) private final var"
    let value = "\(declared) \(storage)\(storageType)"
    return isScalar ? [value] : [value, "\(declared) \(key) = LarderData.\(keyValue)"]
  }

  /// The annotation of the storage, or the initial value that it takes its type from.
  private var storageType: String {
    switch type {
    // `Optional<T>`, because a `T?` begins as nil: that would come after the property's initial value and hide it,
    // and let an initializer forget the property, which the compiler now reports.
    case .scalar(let text) where isScalar:
      text.hasSuffix("?") ? ": Optional<\(text.dropLast())>" : ": \(text)"
    case .scalar(let text), .named(let text): ": Optional<\(text)>"
    case .inferred(let expression): " = Optional(\(expression))"
    }
  }

  /// The key's initial value: overloads choose its type by that of the property.
  private var keyValue: String {
    if let key = kind.key { return "\(key)()" }
    return switch type {
    case .scalar(let text), .named(let text): "_$key((\(text)).self)"
    case .inferred(let expression): "_$key(of: \(expression))"
    }
  }
}

/// What the macros agree on about a property's storage.
enum PersistedStorage {
  /// The mask of changed properties is one word: properties from this one on share its last bit.
  static let lastBit = 63

  static func name(for token: TokenSyntax) -> String { ("_" + token.bareName).asIdentifier }

  /// What stands beside the storage of a property that may be a relationship: the other row's key, for a to-one.
  static func keyName(for token: TokenSyntax) -> String {
    let key = token.bareName + "_$k"
    // What needs backticks without the suffix needs them with it.
    return name(for: token).hasPrefix("`") ? "`\(key)`" : key
  }

  static func mask(_ index: Int) -> String {
    "0x" + String(UInt64(1) << UInt64(min(index, lastBit)), radix: 16)
  }
}
