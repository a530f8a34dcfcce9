import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@_PersistedProperty`: the storage of one property and the accessors over it. `@Model` writes it, with the
/// property's place among its fellows, which this macro cannot see.
public enum PersistedPropertyMacro {
  // What is generated is laid out as it is written below: formatting it again costs more than expanding it.
  public static var formatMode: FormatMode { .disabled }
}

extension PersistedPropertyMacro: AccessorMacro {
  public static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = Property(node, declaration) else {
      context.diagnose(
        .error("persisted-property", at: node, "@\(node.baseName) belongs to @Model, which adds it where it is due"))
      return []
    }
    let (storage, path, index) = (property.storage, "\\.\(property.token.text)", property.place)
    let key = property.key
    let read = property.isScalar ? storage : "_$get(\(storage), \(key), \(index))"
    let same =
      property.isScalar
      ? "LarderData._$same(\(storage), newValue)" : "_$isSame(\(storage), \(key), newValue, \(index))"
    // Where the property is a relationship of an object in a context, more than its storage changes.
    let relate = property.isScalar ? "" : "  if _$relate(newValue, \(storage), \(key), \(index)) { return }\n"
    return [
      """
      @storageRestrictions(initializes: \(raw: storage))
      init(initialValue) { \(raw: storage) = initialValue }
      """,
      """
      get {
        _$access(\(raw: path))
        return \(raw: read)
      }
      """,
      """
      set {
        if \(raw: same) { return }
      \(raw: relate)  if \(raw: property.unchanged) { _$willWrite(\(raw: index)) }
        if \(raw: property.unobserved) { \(raw: storage) = newValue } else { _$mutate(\(raw: path)) { \(raw: storage) = newValue } }
      }
      """,
    ]
  }
}

extension PersistedPropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = Property(node, declaration) else { return [] }
    let storage: DeclSyntax = "private final var \(raw: property.storage)\(raw: property.storageType)"
    if property.isScalar { return [storage] }
    return [storage, "private final var \(raw: property.key) = LarderData.\(raw: property.keyValue)"]
  }
}

extension PersistedPropertyMacro {
  /// What the attribute's arguments and the declaration say.
  private struct Property {
    let token: TokenSyntax
    let index: Int
    let isScalar: Bool
    /// Whether the class may have a superclass, which has the header and the first places.
    let mayInherit: Bool
    let type: PropertyType
    let kind: PropertyKind

    /// The place in the layout, as code.
    var place: String { mayInherit ? "Self._$base.place(\(index))" : String(index) }
    /// Whether the property has not changed since the last save, as code.
    var unchanged: String {
      mayInherit
        ? "_$changed & Self._$base.mask(\(index)) == 0" : "_$h.fields.changed & \(PersistedStorage.mask(index)) == 0"
    }
    /// Whether nobody observes the object, as code.
    var unobserved: String { mayInherit ? "!_$isObserved" : "_$h.fields.registrar == nil" }

    var storage: String { PersistedStorage.name(for: token) }
    var key: String { PersistedStorage.keyName(for: token) }

    /// The key's initial value: overloads choose its type by that of the property.
    var keyValue: String {
      if let key = kind.key { return "\(key)()" }
      return switch type {
      case .scalar(let text), .named(let text): "_$key((\(text)).self)"
      case .inferred(let expression): "_$key(of: \(expression))"
      }
    }

    init?(_ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol) {
      guard let arguments = node.arguments?.as(LabeledExprListSyntax.self),
        let index = arguments.first(where: { $0.label?.text == "_index" })?.expression.as(
          IntegerLiteralExprSyntax.self)?
          .representedLiteralValue,
        let variable = declaration.as(VariableDeclSyntax.self), let binding = variable.bindings.first,
        let token = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
        let type = PropertyType(of: binding, shadowed: [])
      else { return nil }
      self.token = token.trimmed
      self.index = index
      self.isScalar = arguments.isTrue("_scalar")
      self.mayInherit = arguments.isTrue("_mayInherit")
      self.kind = PropertyKind(variable)
      self.type = type
    }

    /// The annotation of the storage, or the initial value that it takes its type from.
    var storageType: String {
      switch type {
      // `Optional<T>`, because a `T?` begins as nil: that would come after the property's initial value and hide it,
      // and let an initializer forget the property, which the compiler now reports.
      case .scalar(let text) where isScalar:
        text.hasSuffix("?") ? ": Optional<\(text.dropLast())>" : ": \(text)"
      case .scalar(let text), .named(let text): ": Optional<\(text)>"
      case .inferred(let expression): " = Optional(\(expression))"
      }
    }
  }
}

extension LabeledExprListSyntax {
  /// Whether an argument is given and is `true`.
  fileprivate func isTrue(_ label: String) -> Bool {
    let value = first { $0.label?.text == label }?.expression.as(BooleanLiteralExprSyntax.self)
    return value?.literal.tokenKind == .keyword(.true)
  }
}

/// `@_TransformablePersistedProperty`: the same for a property whose stored form a value transformer makes.
public enum TransformablePersistedPropertyMacro: AccessorMacro, PeerMacro {
  public static var formatMode: FormatMode { .disabled }

  public static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    try PersistedPropertyMacro.expansion(of: node, providingAccessorsOf: declaration, in: context)
  }

  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    try PersistedPropertyMacro.expansion(of: node, providingPeersOf: declaration, in: context)
  }
}
