import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

// Diagnostics for types that `@JSONReadable` does not support, with the remedies.
extension Diagnostic {
  static func misplacedRecord(_ declaration: some DeclGroupSyntax, in context: some MacroExpansionContext)
    -> Diagnostic?
  {
    let introducer = declaration.introducer
    if let node = declaration.as(StructDeclSyntax.self) { return hiddenRecord(node.modifiers, in: context) }
    if let node = declaration.as(ClassDeclSyntax.self) {
      if node.modifier(.final) != nil { return hiddenRecord(node.modifiers, in: context) }
      return .error(
        "not-final", at: introducer,
        "a class that is @JSONReadable must be final: a subclass would have properties that nothing reads",
        fixIts: [.replace("make it final", introducer, with: TokenSyntax.identifier("final class"))])
    }
    if declaration.is(EnumDeclSyntax.self) {
      return .error(
        "not-a-record", at: introducer,
        """
        @JSONReadable writes how an object is read; an enum with a raw value needs only to conform, as in \
        ': String, JSONReadable', and another one needs an init(reading:) of your own
        """)
    }
    return .error(
      "not-a-record", at: introducer,
      "@JSONReadable belongs on a struct or a final class, and not on '\(introducer.text)'")
  }

  private static func hiddenRecord(_ modifiers: DeclModifierListSyntax, in context: some MacroExpansionContext)
    -> Diagnostic?
  {
    guard !context.lexicalContext.filter({ $0.asProtocol((any DeclGroupSyntax).self) != nil }).isEmpty,
      let modifier = modifiers.first(where: { $0.name.tokenKind == .keyword(.private) })
    else { return nil }
    return .error(
      "private", at: modifier.name,
      """
      a type inside another that is @JSONReadable cannot be 'private': its conformance is written outside, where it \
      would not be seen; use 'fileprivate'
      """,
      fixIts: [.keyword("use 'fileprivate'", modifier.name, .fileprivate)])
  }

  static func keysNotLiteral(_ keys: ExprSyntax) -> Diagnostic {
    .error(
      "keys", at: keys, "the macro sees only what is written: use .useDefaultKeys or .convertFromSnakeCase itself here")
  }

  static func rawValueNotLiteral(_ value: ExprSyntax) -> Diagnostic {
    .error(
      "raw-value", at: value, "the macro sees only what is written: a raw value of CodingKeys must be a plain string")
  }

  static func conditionalRecordPart(_ node: some SyntaxProtocol, _ clause: IfConfigClauseSyntax) -> Diagnostic {
    .error(
      "conditional", at: node,
      "@JSONReadable cannot know whether '\(clause.text)' holds; write this outside of #if")
  }

  static func recordPattern(_ pattern: PatternSyntax) -> Diagnostic {
    .error("pattern", at: pattern, "the names in a pattern have no types of their own; write one 'var' for each")
  }

  static func notInCodingKeys(_ token: TokenSyntax) -> Diagnostic {
    .error(
      "not-in-coding-keys", at: token,
      "'\(token.bareName)' is not in CodingKeys and has no value; add a case, or give it a value")
  }

  static func keyWithoutProperty(_ token: TokenSyntax) -> Diagnostic {
    .error(
      "key-without-property", at: token, "there is no stored property '\(token.bareName)' to read; remove the case")
  }

  static func constantWithValue(_ token: TokenSyntax, _ variable: VariableDeclSyntax) -> Diagnostic {
    .warning(
      "constant", at: token,
      "'\(token.bareName)' keeps the value that it is given here and is not read; make it a 'var' to read it",
      fixIts: [.keyword("make it a 'var'", variable.bindingSpecifier, .var)])
  }

  static func noRecordType(_ token: TokenSyntax) -> Diagnostic {
    .error("no-type", at: token, "'\(token.bareName)' needs its type written here, as in '\(token.bareName): String'")
  }

  static func sameKey(_ property: RecordProperty, _ other: RecordProperty, _ key: String? = nil) -> Diagnostic {
    .error(
      "same-key", at: property.token,
      """
      '\(property.token.bareName)' and '\(other.token.bareName)' would both be read from "\(key ?? property.key)"; rename \
      one in CodingKeys
      """
    )
  }

  static func parameterPack(_ parameter: GenericParameterSyntax) -> Diagnostic {
    .error(
      "parameter-pack", at: parameter, "a type with a parameter pack cannot be @JSONReadable; write init(reading:)")
  }
}
