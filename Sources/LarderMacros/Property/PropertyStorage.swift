import SwiftSyntax

/// The storage of a persisted property, and the key next to it.
struct PropertyStorage {
  private let token: TokenSyntax
  private let type: PropertyType
  private let kind: PropertyKind
  private let isScalar: Bool

  init(_ token: TokenSyntax, _ type: PropertyType, _ kind: PropertyKind, isScalar: Bool) {
    self.token = token
    self.type = type
    self.kind = kind
    self.isScalar = isScalar
  }

  var declarations: [String] {
    // No other code runs while the storage of a shared object is read or written, so an exclusivity check is unnecessary: a
    // replaced
    // value is released after the access (`_$exchange`).
    let declared = "@exclusivity(unchecked) private final var"
    let value = "\(declared) \(PersistedStorage.name(for: token))\(storageType)"
    if isScalar { return [value] }
    return [value, "\(declared) \(PersistedStorage.keyName(for: token)) = LarderData.\(keyValue)"]
  }

  /// The annotation of the storage, or the initial value from which its type is inferred.
  private var storageType: String {
    switch type {
    // `Optional<T>`, because a `T?` is implicitly nil: that would be assigned after the property's initial value and hide it,
    // and an initializer could omit the property without an error of the compiler.
    case .scalar(let text) where isScalar:
      text.hasSuffix("?") ? ": Optional<\(text.dropLast())>" : ": \(text)"
    case .scalar(let text), .named(let text): ": LarderData._ValueStorage<\(text)>"
    case .inferred(let expression): " = LarderData._ValueStorage(\(expression))"
    }
  }

  /// The key's initial value: overloads choose its type by that of the property.
  private var keyValue: String {
    if let key = kind.keyTypeName { return "\(key)()" }
    return switch type {
    case .scalar(let text), .named(let text): "_$key((\(text)).self)"
    case .inferred(let expression): "_$key(of: \(expression))"
    }
  }
}
