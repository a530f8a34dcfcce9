import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

// The diagnostics for invalid models.

extension Diagnostic {
  static func secondUnique(_ expansion: MacroExpansionDeclSyntax) -> Diagnostic {
    .error(
      "second-unique", at: expansion.pound,
      "a model has one #Unique; write all its constraints there: #Unique<Model>([\\.a], [\\.b, \\.c])")
  }

  static func conditionalProperty(_ variable: VariableDeclSyntax, _ clause: IfConfigClauseSyntax) -> Diagnostic {
    .error(
      "conditional-property", at: variable.bindingSpecifier,
      """
      @Model cannot know whether '\(clause.text)' holds, and a store's rows have one shape; move the property out of \
      #if, or mark it @Transient
      """,
      fixIts: [.addTransient(to: variable)])
  }

  static func conditionalConstraint(_ expansion: MacroExpansionDeclSyntax, _ clause: IfConfigClauseSyntax) -> Diagnostic
  {
    .error(
      "conditional-constraint", at: expansion.pound,
      "@Model cannot know whether '\(clause.text)' holds; move #\(expansion.macroName.text) out of #if")
  }

  static func conditionalMarker(_ attribute: AttributeSyntax, _ clause: IfConfigClauseSyntax) -> Diagnostic {
    .error(
      "conditional-marker", at: attribute,
      "@Model cannot know whether '\(clause.text)' holds; move @\(attribute.baseName) out of #if")
  }

  static func lazy(_ variable: VariableDeclSyntax, _ modifier: DeclModifierSyntax) -> Diagnostic {
    .error(
      "lazy", at: modifier.name,
      "a 'lazy' property cannot be persisted; remove 'lazy', or mark the property @Transient",
      fixIts: [.addTransient(to: variable)])
  }

  static func ineffectiveOwnership(_ variable: VariableDeclSyntax, _ modifier: DeclModifierSyntax) -> Diagnostic {
    let word = modifier.name.text
    var changed = variable
    changed.modifiers = variable.modifiers.filter { $0.id != modifier.id }
    return .warning(
      "strong", at: modifier.name,
      "'\(word)' has no effect on a persisted property, whose object the context lets go of by itself; remove it",
      fixIts: [.replace("remove '\(word)'", variable, with: changed)])
  }

  static func severalBindings(_ variable: VariableDeclSyntax) -> Diagnostic {
    .error(
      "several-bindings", at: variable.bindings,
      "a persisted property needs a 'var' of its own; write one declaration for each",
      fixIts: [variable.splitFixIt].compactMap { $0 })
  }

  static func pattern(_ pattern: PatternSyntax) -> Diagnostic {
    .error(
      "pattern", at: pattern,
      "a persisted property is declared by its name alone, not by a pattern; write one 'var' for each value")
  }

  static func noType(_ token: TokenSyntax, _ binding: PatternBindingSyntax) -> Diagnostic {
    var annotated = binding
    annotated.pattern = binding.pattern.with(\.trailingTrivia, [])
    annotated.typeAnnotation = TypeAnnotationSyntax(
      colon: .colonToken(trailingTrivia: .space), type: TypeSyntax(stringLiteral: "<#Type#>"),
      trailingTrivia: binding.initializer == nil ? [] : .space)
    return .error(
      "no-type", at: token, "the type of '\(token.bareName)' cannot be inferred; add a type annotation",
      fixIts: [.replace("add a type annotation", binding, with: annotated)])
  }

  static func observer(_ observer: AccessorDeclSyntax, of token: TokenSyntax) -> Diagnostic {
    let word = observer.accessorSpecifier.text
    return .warning(
      "observer", at: observer.accessorSpecifier,
      """
      '\(word)' of a persisted property is dropped and never runs; do its work in a method that sets \
      '\(token.bareName)', or mark the property @Transient
      """)
  }

  static func constant(_ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax) -> Diagnostic {
    .error(
      "constant", at: variable.bindingSpecifier,
      """
      a 'let' is not persisted, so an object read from the store would have no value for \
      '\(binding.pattern.trimmedDescription)'; use 'var' to store it, or give it a value here, the same in each object
      """,
      fixIts: [.keyword("use 'var'", variable.bindingSpecifier, .var)])
  }

  static func changingConstant(_ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax) -> Diagnostic {
    .warning(
      "changing-constant", at: variable.bindingSpecifier,
      """
      a 'let' is not persisted, so '\(binding.pattern.trimmedDescription)' is another each time the object is read; \
      use 'var' to store it
      """,
      fixIts: [.keyword("use 'var'", variable.bindingSpecifier, .var)])
  }

  static func namesDifferByCase(
    _ property: PersistedProperty, _ other: PersistedProperty, _ node: ClassDeclSyntax
  ) -> Diagnostic {
    .error(
      "names-differ-by-case", at: node.token(ofProperty: property.spelling) ?? node.name,
      """
      '\(property.name)' and '\(other.name)' differ only by case, and SQLite's columns ignore it; rename one of them
      """)
  }

  static func generatedName(_ token: TokenSyntax) -> Diagnostic {
    .error("generated-name", at: token, "@Model itself declares '\(token.bareName)'; rename this property")
  }

  static func hiddenName(_ token: TokenSyntax) -> Diagnostic {
    .warning(
      "hidden-name", at: token,
      "'\(token.bareName)' hides the property of that name that every model has; rename it to keep both")
  }

  static func storageName(_ token: TokenSyntax, of property: PersistedProperty) -> Diagnostic {
    .error(
      "storage-name", at: token,
      "'\(token.bareName)' is the name of the storage that @Model gives to '\(property.name)'; rename one of them")
  }

  static func noInitializer(_ model: ModelClass) -> Diagnostic {
    .error(
      "no-initializer", at: model.node.name, "@Model requires an initializer be provided for '\(model.name)'",
      fixIts: [model.initializerFixIt].compactMap { $0 })
  }

  static func notAClass(_ declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> Diagnostic {
    let word = declaration.introducer.text
    let fixIt: [FixIt] =
      declaration.is(StructDeclSyntax.self) || declaration.is(ActorDeclSyntax.self)
      ? [.keyword("make it a class", declaration.introducer, .class)] : []
    let reason =
      switch word {
      case "actor":
        "its objects belong to the context that they live in, which guards them; use @ModelActor for an actor that works with models"
      case "enum": "an enum that conforms to Codable can be the type of a model's property"
      case "extension": "write @Model before the class itself"
      default:
        "an object has an identity that a copy would lose; a struct that conforms to Codable can be the type of a model's property"
      }
    return .error(
      "not-a-class", at: declaration.introducer, "@Model cannot be applied to \(word.withIndefiniteArticle): \(reason)",
      fixIts: fixIt)
  }

  static func generic(_ node: some SyntaxProtocol) -> Diagnostic {
    .error(
      "generic", at: node,
      "a model cannot be generic: an entity is one table, whose columns have one type; use a concrete class")
  }

  static func hiddenFromExtensions(_ modifier: TokenSyntax) -> Diagnostic {
    .error(
      "private", at: modifier,
      """
      a model inside another type cannot be 'private': its conformance is written outside, where it would not be \
      seen; use 'fileprivate'
      """,
      fixIts: [.keyword("use 'fileprivate'", modifier, .fileprivate)])
  }

  static func inheritance(_ inherited: some SyntaxProtocol) -> Diagnostic {
    .error(
      "inheritance", at: inherited,
      """
      '\(inherited.trimmedDescription)' is no model, and a model can only inherit from one: objects are made from \
      rows, which have no values for it; mark it @Model too, or share code through a protocol
      """)
  }

  static func noSubclassInitializer(_ model: ModelClass, _ superclass: some SyntaxProtocol) -> Diagnostic {
    .error(
      "no-initializer", at: model.node.name,
      """
      @Model requires an initializer be provided for '\(model.name)': those of '\(superclass.trimmedDescription)' are \
      not inherited, because @Model itself adds some; write one that calls super.init
      """)
  }

  static func overridden(_ variable: VariableDeclSyntax, _ modifier: DeclModifierSyntax) -> Diagnostic {
    .error(
      "overridden", at: modifier.name,
      """
      a persisted property has one column, so it cannot be stored again in a subclass; remove it, or give it a getter \
      and a setter that use super's
      """)
  }
}

extension DeclGroupSyntax {
  /// The keyword of the declaration.
  var introducer: TokenSyntax { introducerToken(of: self) }
}

private func introducerToken(of declaration: some DeclGroupSyntax) -> TokenSyntax {
  if let node = declaration.as(StructDeclSyntax.self) { return node.structKeyword }
  if let node = declaration.as(EnumDeclSyntax.self) { return node.enumKeyword }
  if let node = declaration.as(ActorDeclSyntax.self) { return node.actorKeyword }
  if let node = declaration.as(ClassDeclSyntax.self) { return node.classKeyword }
  if let node = declaration.as(ProtocolDeclSyntax.self) { return node.protocolKeyword }
  if let node = declaration.as(ExtensionDeclSyntax.self) { return node.extensionKeyword }
  return declaration.firstToken(viewMode: .sourceAccurate) ?? .identifier("")
}

extension String {
  fileprivate var withIndefiniteArticle: String {
    (["a", "e", "i", "o", "u"].contains(prefix(1)) ? "an " : "a ") + self
  }
}

// MARK: - Remedies

extension FixIt {
  static func addTransient(to variable: VariableDeclSyntax) -> FixIt {
    let changed = DeclSyntax(stringLiteral: "@Transient " + variable.trimmedDescription)
    return .replace("mark it @Transient", variable, with: changed)
  }
}

extension VariableDeclSyntax {
  /// A fix-it with one declaration for each binding; `nil` if one type annotation applies to several names.
  fileprivate var splitFixIt: FixIt? {
    guard bindings.allSatisfy({ $0.typeAnnotation != nil || $0.initializer != nil }),
      let list = parent?.parent?.as(MemberBlockItemListSyntax.self), let item = parent?.as(MemberBlockItemSyntax.self),
      let index = list.index(of: item)
    else { return nil }
    var head = self
    head.bindings = PatternBindingListSyntax([])
    let prefix = head.trimmedDescription
    let items = bindings.enumerated().map { offset, binding in
      var item = item
      let separator = prefix.hasSuffix(" ") ? "" : " "
      item.decl = DeclSyntax(stringLiteral: prefix + separator + binding.with(\.trailingComma, nil).trimmedDescription)
      item.leadingTrivia = offset == 0 ? self.leadingTrivia : .newline + lineIndentation
      item.trailingTrivia = offset == bindings.count - 1 ? self.trailingTrivia : []
      return item
    }
    var changed = list
    changed.replaceSubrange(index..<list.index(after: index), with: items)
    return FixIt(
      message: MacroMessage(message: "write one 'var' for each", id: "fix-it"),
      changes: [.replace(oldNode: Syntax(list), newNode: Syntax(changed))])
  }

  private var lineIndentation: Trivia {
    Trivia(pieces: leadingTrivia.pieces.reversed().prefix { if case .newlines = $0 { false } else { true } }.reversed())
  }
}

extension ModelClass {
  /// A fix-it with an initializer that has a parameter for each property without a value; `nil` if a type's name is unknown.
  fileprivate var initializerFixIt: FixIt? {
    let parameters = uninitializedProperties.compactMap { property in
      property.type.text.map { "\(property.spelling): \($0)" }
    }
    guard parameters.count == uninitializedProperties.count else { return nil }
    let assignments = uninitializedProperties.map { "    self.\($0.spelling) = \($0.spelling)\n" }.joined()
    let text = "init(\(parameters.joined(separator: ", "))) {\n\(assignments)  }"
    var members = node.memberBlock.members
    members.append(
      MemberBlockItemSyntax(leadingTrivia: [.newlines(2), .spaces(2)], decl: DeclSyntax(stringLiteral: text)))
    return FixIt(
      message: MacroMessage(message: "add an initializer", id: "fix-it"),
      changes: [.replace(oldNode: Syntax(node.memberBlock.members), newNode: Syntax(members))])
  }
}
