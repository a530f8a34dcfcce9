import SwiftSyntax

// The members of a class and the attributes of its properties after the branches of `#if` are chosen.

extension Conditions {
  /// A declaration that is compiled, or for which that is unknown.
  enum Member {
    case compiled(DeclSyntax)
    /// A declaration that depends on the condition of the clause, which the macro cannot evaluate.
    case uncertain(DeclSyntax, IfConfigClauseSyntax)

    var declaration: DeclSyntax {
      switch self {
      case .compiled(let declaration), .uncertain(let declaration, _): declaration
      }
    }
  }

  /// Returns the members of a type's body, including members within `#if`.
  func members(_ list: MemberBlockItemListSyntax) -> [Member] {
    list.flatMap { item -> [Member] in
      guard let conditional = item.decl.as(IfConfigDeclSyntax.self) else { return [.compiled(item.decl)] }
      switch branch(of: conditional) {
      case .compiled(let clause): return clause?.memberList.map(members) ?? []
      case .unknown(let clause):
        // Earlier branches are known not to be compiled.
        let rest = conditional.clauses.drop { $0.id != clause.id }
        return rest.flatMap { $0.memberList.map(members) ?? [] }.map { member in
          if case .compiled(let declaration) = member { .uncertain(declaration, clause) } else { member }
        }
      }
    }
  }

  /// Returns the members that are certainly compiled.
  func compiledMembers(_ list: MemberBlockItemListSyntax) -> [DeclSyntax] {
    members(list).compactMap { if case .compiled(let declaration) = $0 { declaration } else { nil } }
  }

  /// Returns the attributes of a declaration, including attributes within `#if`.
  func attributes(_ list: AttributeListSyntax) -> CompiledAttributes {
    var result = CompiledAttributes()
    for element in list {
      if case .attribute(let attribute) = element { result.attributes.append(attribute) }
      guard case .ifConfigDecl(let conditional) = element else { continue }
      switch branch(of: conditional) {
      case .compiled(let clause):
        if let inner = clause?.attributeList { result.append(attributes(inner)) }
      case .unknown(let unknown):
        for clause in conditional.clauses.drop(while: { $0.id != unknown.id }) {
          guard let inner = clause.attributeList.map(attributes) else { continue }
          result.uncertain += inner.attributes.map { ($0, unknown) } + inner.uncertain
        }
      }
    }
    return result
  }
}

/// The attributes of a declaration after the branches of `#if` are chosen.
struct CompiledAttributes {
  fileprivate(set) var attributes: [AttributeSyntax] = []
  /// The attributes of which the macro cannot know whether they are compiled, each with the clause whose condition decides.
  fileprivate(set) var uncertain: [(attribute: AttributeSyntax, clause: IfConfigClauseSyntax)] = []

  func first(named name: String) -> AttributeSyntax? { attributes.first { $0.baseName == name } }

  /// The first uncertain attribute that determines whether and how a property is stored.
  var uncertainMarker: (attribute: AttributeSyntax, clause: IfConfigClauseSyntax)? {
    uncertain.first { ["Attribute", "Relationship", "Transient"].contains($0.attribute.baseName) }
  }

  /// Returns an option of `@Attribute`: `.name`, `.name(…)`, or the same with its type.
  func option(_ name: String) -> ExprSyntax? {
    guard let arguments = first(named: "Attribute")?.arguments?.as(LabeledExprListSyntax.self) else { return nil }
    return arguments.first { argument in
      guard argument.label == nil else { return false }
      let expression = argument.expression.as(FunctionCallExprSyntax.self)?.calledExpression ?? argument.expression
      return expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == name
    }?.expression
  }

  fileprivate mutating func append(_ other: CompiledAttributes) {
    attributes += other.attributes
    uncertain += other.uncertain
  }
}

extension IfConfigClauseSyntax {
  /// The condition in the source: `#if canImport(Charts)`.
  var text: String { poundKeyword.trimmedDescription + " " + (condition?.trimmedDescription ?? "") }

  var memberList: MemberBlockItemListSyntax? {
    if case .decls(let members) = elements { members } else { nil }
  }

  fileprivate var attributeList: AttributeListSyntax? {
    if case .attributes(let attributes) = elements { attributes } else { nil }
  }
}
