import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Model`: makes a class's stored properties columns of an entity.
public enum PersistentModelMacro {
  // Generated code has its final layout: formatting it again takes longer than expanding it.
  public static var formatMode: FormatMode { .disabled }
}

extension PersistentModelMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else {
      context.diagnose(.notAClass(declaration, attribute: node))
      return []
    }
    if let misplacement = declaration.misplacement(in: context) {
      context.diagnose(misplacement)
      return []
    }
    let superclass = declaration.superclass(missing: protocols)
    if case .other(let inherited) = superclass {
      context.diagnose(.inheritance(inherited))
      return ModelMembers.placeholderMembers(declaration)
    }
    let model = ModelClass(declaration, Conditions(context))
    model.problems.forEach(context.diagnose)
    if case .model(let superclass) = superclass {
      if !model.hasDesignatedInitializer { context.diagnose(.noSubclassInitializer(model, superclass)) }
      return SubclassMembers(model, superclass: superclass.copied).declarations
    }
    if !model.hasInitializer, !model.uninitializedProperties.isEmpty { context.diagnose(.noInitializer(model)) }
    return ModelMembers(model).declarations
  }
}

extension PersistentModelMacro: MemberAttributeMacro {
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let variable = member.as(VariableDeclSyntax.self), !variable.isTypeMember, variable.bindings.count == 1,
      let binding = variable.bindings.first, binding.isStored,
      let token = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
      variable.attributes.first(named: "_PersistedProperty") == nil,
      variable.attributes.first(named: "_TransformablePersistedProperty") == nil,
      let declaration = declaration.as(ClassDeclSyntax.self), declaration.canBeModel(in: context),
      let attribute = PropertyAttributes.of(declaration, Conditions(context))[token.text]
    else { return [] }
    return [attribute]
  }
}

extension PersistentModelMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let node = declaration.as(ClassDeclSyntax.self), node.canBeModel(in: context) else { return [] }
    let name = type.trimmedDescription
    let advice =
      "PersistentModels are not Sendable, consider utilizing a ModelActor or use \(node.name.bareName)'s "
      + "persistentModelID instead"
    var extensions: [DeclSyntax] = []
    if protocols.contains(where: { $0.lastName == "PersistentModel" }) {
      extensions.append("nonisolated extension \(raw: name): LarderData.PersistentModel {}")
    }
    if protocols.contains(where: { $0.lastName == "Sendable" }) {
      extensions.append(
        """
        @available(*, unavailable, message: \(raw: advice.stringLiteral))
        extension \(raw: name): Sendable {}
        """)
    }
    return extensions.compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}

extension TypeSyntax {
  var lastName: String {
    if let member = self.as(MemberTypeSyntax.self) { return member.name.text }
    return self.as(IdentifierTypeSyntax.self)?.name.text ?? trimmedDescription
  }

  /// The members of a composition, each of which counts as a separate inherited type; for any other type, that type.
  var composedTypes: [TypeSyntax] {
    self.as(CompositionTypeSyntax.self)?.elements.flatMap { $0.type.composedTypes } ?? [self]
  }
}

extension ClassDeclSyntax {
  /// Returns whether the roles other than the member role expand. The member role reports the errors.
  fileprivate func canBeModel(in context: some MacroExpansionContext) -> Bool { misplacement(in: context) == nil }

  /// Returns the error for a class that is generic, directly or by an enclosing type, or that its extension could not access.
  fileprivate func misplacement(in context: some MacroExpansionContext) -> Diagnostic? {
    if let clause = genericParameterClause { return .generic(clause) }
    let outer = context.lexicalContext.contains { scope in
      scope.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
    }
    if outer { return .generic(name) }
    // For the role that adds attributes to members, the context includes the class itself.
    let isInner = context.lexicalContext.contains { $0.as(ClassDeclSyntax.self)?.name.text != name.text }
    guard let modifier = modifier(.private), isInner else { return nil }
    return .hiddenFromExtensions(modifier.name)
  }

  /// Returns the superclass, as far as it is known: a name alone could be a protocol's.
  ///
  /// The compiler lists the conformances that the macro has to add. If `PersistentModel` is neither in that list nor in the source,
  /// it
  /// is inherited from a model.
  fileprivate func superclass(missing protocols: [TypeSyntax]) -> Superclass? {
    let inherited = inheritanceClause?.inheritedTypes.flatMap { $0.type.composedTypes } ?? []
    guard let first = possibleSuperclass ?? inherited.first else { return nil }
    let isInherited = !(protocols + inherited).contains { $0.lastName == "PersistentModel" }
    if isInherited { return .model(first) }
    let overrides = memberBlock.members.contains { member in
      member.decl.asProtocol((any WithModifiersSyntax).self)?.modifier(.override) != nil
    }
    let finder = SuperFinder(viewMode: .sourceAccurate)
    finder.walk(memberBlock)
    return overrides || finder.found ? .other(first) : nil
  }
}

/// The superclass of a model.
private enum Superclass {
  case model(TypeSyntax)
  case other(TypeSyntax)
}

private final class SuperFinder: SyntaxVisitor {
  var found = false

  override func visit(_ node: SuperExprSyntax) -> SyntaxVisitorContinueKind {
    found = true
    return .skipChildren
  }
  // A nested class may have a superclass of its own.
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
