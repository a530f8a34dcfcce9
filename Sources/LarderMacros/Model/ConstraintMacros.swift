import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `#Unique`: `@Model` reads it; it expands to nothing.
public enum UniqueConstraintsMacro: DeclarationMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    Constraint.diagnose(node, in: context)
    return []
  }
}

/// `#Index`: `@Model` reads it; it expands to nothing.
public enum IndexMacro: DeclarationMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    Constraint.diagnose(node, in: context)
    return []
  }
}

private enum Constraint {
  /// Returns the model in the constraint's generic argument, if it is not the enclosing one.
  private static func mismatchedModel(
    _ node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) -> TypeSyntax? {
    guard let argument = node.genericArgumentClause?.arguments.first?.argument.as(TypeSyntax.self),
      let names = argument.nameComponents
    else { return nil }
    let scopes = context.lexicalContext.compactMap(\.declaredTypePath).flatMap { $0.reversed() }
    // From the innermost name outwards, as far as both go: a remaining written name is a module's.
    let isSame = names == ["Self"] || zip(names.reversed(), scopes).allSatisfy { $0 == $1 }
    return isSame ? nil : argument
  }

  /// Diagnoses a constraint outside of a model's body, where it has no effect.
  static func diagnose(_ node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext) {
    let name = node.macroName.text
    if context.lexicalContext.first?.is(ClassDeclSyntax.self) != true {
      context.diagnose(.error("constraint-place", at: node.pound, "#\(name) belongs in the body of a @Model class"))
    } else if let named = mismatchedModel(node, in: context) {
      let model = context.lexicalContext.first?.as(ClassDeclSyntax.self)?.name.text ?? ""
      context.diagnose(
        .error(
          "constraint-model", at: named,
          "#\(name)<\(named.trimmedDescription)> stands in \(model), whose properties it is about; write "
            + "#\(name)<\(model)>, or move it into \(named.trimmedDescription)",
          fixIts: [.replace("write \(model)", named, with: TypeSyntax(stringLiteral: model))]))
    } else if node.arguments.isEmpty {
      context.diagnose(
        .error(
          "constraint-empty", at: node.macroName,
          "#\(name) names no property; give it lists of key paths: #\(name)<Model>([\\.a], [\\.b, \\.c])"))
    }
  }
}

extension TypeSyntax {
  /// The components of a type's name, from the outermost one on.
  fileprivate var nameComponents: [String]? {
    if let identifier = self.as(IdentifierTypeSyntax.self) { return [identifier.name.bareName] }
    guard let member = self.as(MemberTypeSyntax.self), let base = member.baseType.nameComponents else { return nil }
    return base + [member.name.bareName]
  }
}

extension Syntax {
  /// The name of the type that is declared or extended here.
  fileprivate var declaredTypePath: [String]? {
    if let node = self.as(ExtensionDeclSyntax.self) { return node.extendedType.nameComponents }
    return self.asProtocol((any NamedDeclSyntax).self).map { [$0.name.bareName] }
  }
}
