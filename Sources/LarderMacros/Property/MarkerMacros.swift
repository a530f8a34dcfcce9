import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute(…)`: `@Model` reads it; it expands to nothing, and diagnoses a place where it has no effect.
public enum AttributePropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = Marker.property(of: node, declaration, in: context) else { return [] }
    if Conditions(context).attributes(variable.attributes).first(named: "Relationship") != nil {
      context.diagnose(
        .error(
          "two-markers", at: node,
          "a property is either an @Attribute or a @Relationship; remove the one that it is not",
          fixIts: Marker.remove(node, from: variable)))
    }
    return []
  }
}

/// `@Relationship(…)`: `@Model` reads it; it expands to nothing, and diagnoses a place where it has no effect.
public enum RelationshipPropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = Marker.property(of: node, declaration, in: context) else { return [] }
    if let binding = variable.bindings.first, let type = binding.typeAnnotation?.type,
      case .scalar(let text)? = PropertyType(of: binding, shadowed: [])
    {
      context.diagnose(
        .warning(
          "scalar-relationship", at: type,
          "@Relationship has no effect on '\(text)', which is a value and no model; use @Attribute, or nothing at all",
          fixIts: Marker.remove(node, from: variable)))
    }
    return []
  }
}

/// `@Transient`: excludes a stored property from the store; the property then needs an initial value.
public enum TransientPropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self) else {
      context.diagnose(
        .error("transient-place", at: node, "@Transient can only be applied to a property of a @Model class"))
      return []
    }
    guard !variable.isTypeMember, variable.modifier(.lazy) == nil, variable.modifier(.weak) == nil else { return [] }
    for binding in variable.bindings
    where binding.isStored && binding.initializer == nil && binding.typeAnnotation?.type.isOptional != true {
      let name = binding.pattern.trimmedDescription
      var fixed = binding
      fixed.typeAnnotation = binding.typeAnnotation?.with(\.trailingTrivia, .space)
      fixed.initializer = InitializerClauseSyntax(
        equal: .equalToken(trailingTrivia: .space), value: ExprSyntax(stringLiteral: "<#value#>"))
      context.diagnose(
        .error(
          "transient-without-value", at: binding.pattern,
          """
          a @Transient property is not in the store, so '\(name)' needs a value to begin with when an object is \
          read; give it one here, or make it optional
          """,
          fixIts: [.replace("give it a value", binding, with: fixed)]))
    }
    return []
  }
}

/// The requirements of `@Attribute` and `@Relationship` for their place.
private enum Marker {
  /// Returns the persisted property with the marker, or `nil`, with a diagnostic, if there is none.
  static func property(
    of node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) -> VariableDeclSyntax? {
    let name = node.baseName
    guard let variable = declaration.as(VariableDeclSyntax.self) else {
      context.diagnose(
        .error("marker-place", at: node, "@\(name) can only be applied to a stored property of a @Model class"))
      return nil
    }
    guard let reason = ineffectiveReason(variable, in: context) else { return variable }
    context.diagnose(
      .warning(
        "marker-place", at: node, "@\(name) has no effect on \(reason), which is not stored; remove it",
        fixIts: remove(node, from: variable)))
    return nil
  }

  private static func ineffectiveReason(
    _ variable: VariableDeclSyntax, in context: some MacroExpansionContext
  ) -> String? {
    let conditions = Conditions(context)
    if variable.isTypeMember { return "a property of the type" }
    if conditions.attributes(variable.attributes).first(named: "Transient") != nil { return "a @Transient property" }
    if !variable.bindings.allSatisfy(\.isStored), variable.attributes.first(named: "_PersistedProperty") == nil {
      return "a computed property"
    }
    if variable.isConstant, !conditions.constantsMayHaveAccessors { return "a 'let'" }
    if let scope = context.lexicalContext.first, let kind = scope.nonmodelKind { return "a property of \(kind)" }
    return nil
  }

  /// Returns the fix-it that removes the marker; none if the marker is within `#if`.
  static func remove(_ node: AttributeSyntax, from variable: VariableDeclSyntax) -> [FixIt] {
    var changed = variable
    changed.attributes = variable.attributes.filter { element in
      if case .attribute(let attribute) = element { attribute.baseName != node.baseName } else { true }
    }
    guard changed.attributes.count < variable.attributes.count else { return [] }
    return [.replace("remove @\(node.baseName)", variable, with: changed)]
  }
}

extension Syntax {
  fileprivate var nonmodelKind: String? {
    switch kind {
    case .structDecl: "a struct"
    case .enumDecl: "an enum"
    case .actorDecl: "an actor"
    default: nil
    }
  }
}
