import SwiftSyntax

extension AttributeSyntax {
  /// The attribute's name without a qualifying module.
  var baseName: String {
    if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
    return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? ""
  }

  /// The arguments in the source, without the parentheses and without comments.
  var argumentText: String? {
    guard let arguments = arguments?.as(LabeledExprListSyntax.self), !arguments.isEmpty else { return nil }
    return arguments.copied
  }
}

extension AttributeListSyntax {
  func first(named name: String) -> AttributeSyntax? {
    for case .attribute(let attribute) in self where attribute.baseName == name { return attribute }
    return nil
  }
}

extension WithModifiersSyntax {
  func modifier(_ keyword: Keyword) -> DeclModifierSyntax? {
    modifiers.first { $0.name.tokenKind == .keyword(keyword) }
  }

  /// The access level that a generated member in this declaration needs to serve a public conformance.
  var witnessAccessModifier: String {
    for modifier in modifiers {
      switch modifier.name.tokenKind {
      case .keyword(.public), .keyword(.open): return "public "
      case .keyword(.package): return "package "
      default: continue
      }
    }
    return ""
  }
}
