import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `#Unique`: read by `@Model`, expands to nothing.
public enum UniqueConstraintsMacro: DeclarationMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    Constraint.check(node, in: context)
    return []
  }
}

/// `#Index`: read by `@Model`, expands to nothing.
public enum IndexMacro: DeclarationMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    Constraint.check(node, in: context)
    return []
  }
}

private enum Constraint {
  /// Both stand in the body of a model: elsewhere nobody reads them.
  static func check(_ node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext) {
    let name = node.macroName.text
    if context.lexicalContext.first?.is(ClassDeclSyntax.self) != true {
      context.diagnose(.error("constraint-place", at: node.pound, "#\(name) belongs in the body of a @Model class"))
    } else if node.arguments.isEmpty {
      context.diagnose(
        .error(
          "constraint-empty", at: node.macroName,
          "#\(name) names no property; give it lists of key paths: #\(name)<Model>([\\.a], [\\.b, \\.c])"))
    }
  }
}
