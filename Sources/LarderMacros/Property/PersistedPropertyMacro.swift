import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@_PersistedProperty`: the accessors of one property over its storage. `@Model` writes both, with the property's place
/// among its fellows, which this macro cannot see.
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
    let (field, storage, key, place) = (property.field, property.storage, property.key, property.indexExpression)
    let first = property.isScalar ? "initialValue" : ".init(initialValue)"
    let read = property.isScalar ? storage : "_$get(\(storage), \(key), \(place))"
    // Where the property is a relationship of an object in a context, more than its storage changes.
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
  /// The storage. It is a peer, because only a peer's names can be derived from the property's: a macro that may declare
  /// any name makes the compiler find the class's operators twice.
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    // What is wrong, the other role says.
    guard let property = Property(node, declaration) else { return [] }
    // Types that the class itself declares were looked for by `@Model`; and of what is plainly a scalar it has seen that no
    // option changes how it is kept.
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
  /// What the attribute's arguments and the declaration say.
  private struct Property {
    let variable: VariableDeclSyntax
    let binding: PatternBindingSyntax
    let token: TokenSyntax
    let index: Int
    let isScalar: Bool
    /// Whether the class may have a superclass, which has the first places.
    let mayInherit: Bool

    /// The place in the layout, as code.
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
