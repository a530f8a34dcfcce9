import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@JSONReadable`: writes the initializer that reads a type from a JSON reader, key by key.
public enum JSONReadableMacro {
  // What is generated is laid out as it is written; formatting it again costs more than expanding it.
  public static var formatMode: FormatMode { .disabled }
}

extension JSONReadableMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    let record = RecordType(declaration, node, in: context)
    record.problems.forEach(context.diagnose)
    guard record.isSound else { return [] }
    let isWritten = record.declaresInitializer || declaration.is(ClassDeclSyntax.self)
    let initializer = isWritten ? "" : "\n" + RecordInitializer(record).initializer
    let extended: DeclSyntax = """
      extension \(raw: type.trimmedDescription): LarderJSON.JSONReadable\(raw: record.genericRequirements) {\(raw: initializer)
      }
      """
    return [extended.as(ExtensionDeclSyntax.self)].compactMap { $0 }
  }
}

/// A class has its designated initializers in its own braces. A struct has this one in an extension, so that it keeps the
/// initializer that Swift gives it.
extension JSONReadableMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard declaration.is(ClassDeclSyntax.self) else { return [] }
    let record = RecordType(declaration, node, in: context)
    guard record.isSound, !record.declaresInitializer else { return [] }
    // Members are indented where they are put.
    let lines = RecordInitializer(record).initializer.split(separator: "\n", omittingEmptySubsequences: false)
    return [DeclSyntax(stringLiteral: lines.map { $0.dropFirst(2) }.joined(separator: "\n"))]
  }
}

/// `@JSONDate`: says how one property's date is written. `@JSONReadable` looks at it.
public enum JSONDateMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if let variable = declaration.as(VariableDeclSyntax.self),
      let type = variable.bindings.last?.typeAnnotation?.type, !ReadExpression.mentionsDate(type)
    {
      context.diagnose(
        .error("json-date", at: node, "@JSONDate says how a Date is written, and this is none; remove it"))
    }
    return []
  }
}
