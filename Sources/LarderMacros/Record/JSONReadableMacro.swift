import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@JSONReadable`: generates the initializer that reads a type from a JSON reader, key by key.
public enum JSONReadableMacro {
  // Generated code has its final layout; formatting it again takes longer than expanding it.
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

/// The designated initializers of a class must be in its body. For a struct the initializer is in an extension, so that the struct
/// keeps its memberwise initializer.
extension JSONReadableMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard declaration.is(ClassDeclSyntax.self) else { return [] }
    let record = RecordType(declaration, node, in: context)
    guard record.isSound, !record.declaresInitializer else { return [] }
    // The compiler indents members at their place.
    let lines = RecordInitializer(record).initializer.split(separator: "\n", omittingEmptySubsequences: false)
    return [DeclSyntax(stringLiteral: lines.map { $0.dropFirst(2) }.joined(separator: "\n"))]
  }
}

/// `@JSONDate`: specifies the date format of one property. `@JSONReadable` reads it.
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
