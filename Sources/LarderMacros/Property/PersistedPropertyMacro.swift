import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@_PersistedProperty`: the accessors of one property over its storage. `@Model` writes the attribute with the property's index,
/// which this macro cannot determine.
public enum PersistedPropertyMacro {
  // Generated code has its final layout: formatting it again takes longer than expanding it.
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
    let (field, storage, key, place) = (property.field, property.storage, property.key, property.indexExpression)
    let first = property.isScalar ? "initialValue" : ".init(initialValue)"
    let read = property.isScalar ? storage : "_$get(\(storage), \(key), \(place))"
    // If the property is a relationship of an object in a context, other state than its storage changes, too.
    let change =
      property.isScalar
      ? "  guard _$beginChange(\(storage), newValue, \(place)) else { return }"
      : """
        if _$isSame(\(storage), \(key), newValue, \(place)) { return }
        if _$setRelationship(newValue, \(storage), \(key), \(place)) { return }
        _$willChange(\(place))
      """
    let assignment =
      property.isScalar ? "\(storage) = newValue" : "LarderData._$exchange(&\(storage), newValue)"
    return [
      AccessorDeclSyntax(
        verbatim: """
          @storageRestrictions(initializes: \(field))
          init(initialValue) { \(field) = \(first) }
          """),
      AccessorDeclSyntax(
        verbatim: """
          get {
            _$access(\(place))
            return \(read)
          }
          """),
      AccessorDeclSyntax(
        verbatim: """
          set {
          \(change)
            \(assignment)
            _$didSet(\(place))
          }
          """),
    ]
  }
}

extension PersistedPropertyMacro: PeerMacro {
  /// Returns the storage. It is a peer, because only a peer's names can be derived from the property's: if a macro may declare any
  /// name, the compiler finds the class's operators twice.
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    // The accessor role reports errors.
    guard let property = Property(node, declaration) else { return [] }
    // `@Model` has searched for types that the class itself declares. For a plain scalar it has also checked that no option changes
    // the
    // storage.
    let shadowed = property.isScalar ? [] : PropertyType.scalarNames
    guard let type = PropertyType(of: property.binding, shadowed: shadowed) else { return [] }
    let kind =
      property.isScalar
      ? PropertyKind.ordinary : PropertyKind(Conditions(context).attributes(property.variable.attributes))
    return PropertyStorage(property.token, type, kind, isScalar: property.isScalar).declarations.map {
      DeclSyntax(verbatim: $0)
    }
  }
}

extension PersistedPropertyMacro {
  /// The attribute's arguments and the parsed declaration.
  private struct Property {
    let variable: VariableDeclSyntax
    let binding: PatternBindingSyntax
    let token: TokenSyntax
    let index: Int
    let isScalar: Bool
    /// Whether the class may have a superclass, whose properties have the first indices.
    let mayInherit: Bool

    /// The index in the layout, as code.
    var indexExpression: String { mayInherit ? "Self._$offset.index(\(index))" : String(index) }
    var field: String { PersistedStorage.name(for: token) }
    var storage: String { PersistedStorage.value(in: field, isScalar: isScalar) }
    var key: String { PersistedStorage.keyName(for: token) }

    init?(_ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol) {
      guard let arguments = node.arguments?.as(LabeledExprListSyntax.self),
        let index = arguments.first(where: { $0.label?.text == "_index" })?.expression.as(
          IntegerLiteralExprSyntax.self)?
          .representedLiteralValue,
        let variable = declaration.as(VariableDeclSyntax.self), let binding = variable.bindings.first,
        let token = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
      else { return nil }
      self.variable = variable
      self.binding = binding
      self.token = token.trimmed
      self.index = index
      self.isScalar = arguments.isTrue("_scalar")
      self.mayInherit = arguments.isTrue("_mayInherit")
    }
  }
}

extension LabeledExprListSyntax {
  /// Returns whether an argument is present and `true`.
  fileprivate func isTrue(_ label: String) -> Bool {
    let value = first { $0.label?.text == label }?.expression.as(BooleanLiteralExprSyntax.self)
    return value?.literal.tokenKind == .keyword(.true)
  }
}

/// `@_TransformablePersistedProperty`: the same for a property whose stored form a value transformer creates.
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
