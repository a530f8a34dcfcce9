import SwiftSyntax

/// What holds the value of a persisted property, and what stands beside it.
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
    // Nothing runs while the storage of an object that others know is read or written, so there is nothing to check:
    // whoever puts a value in the place of another lets go of that one afterwards (`_$exchange`).
    let declared = "@exclusivity(unchecked) private final var"
    let value = "\(declared) \(PersistedStorage.name(for: token))\(storageType)"
    if isScalar { return [value] }
    return [value, "\(declared) \(PersistedStorage.keyName(for: token)) = LarderData.\(keyValue)"]
  }

  /// The annotation of the storage, or the initial value that it takes its type from.
  private var storageType: String {
    switch type {
    // `Optional<T>`, because a `T?` begins as nil: that would come after the property's initial value and hide it,
    // and let an initializer forget the property, which the compiler now reports.
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
