import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@ModelActor`: adds a container to an actor, and an executor that protects a context of its own.
public enum PersistentModelActorMacro {}

extension PersistentModelActorMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let node = declaration.as(ActorDeclSyntax.self) else {
      let keyword = declaration.introducer
      let canChange = declaration.is(ClassDeclSyntax.self) || declaration.is(StructDeclSyntax.self)
      context.diagnose(
        .error(
          "not-an-actor", at: keyword,
          """
          @ModelActor can only be applied to an actor, whose isolation guards the model context; this is declared as \
          '\(keyword.text)'
          """,
          fixIts: canChange ? [.keyword("make it an actor", keyword, .actor)] : []))
      return []
    }
    let actor = ModelActorType(node, Conditions(context))
    let access = node.witnessAccessModifier
    var members: [DeclSyntax] = []
    if !actor.declares("modelExecutor") {
      members.append("\(raw: access)nonisolated let modelExecutor: any LarderData.ModelExecutor")
    }
    if !actor.declares("modelContainer") {
      members.append("\(raw: access)nonisolated let modelContainer: LarderData.ModelContainer")
    }
    guard actor.needsContainerInitializer else { return members }
    if let property = actor.propertyWithoutValue {
      context.diagnose(
        .error(
          "actor-without-initializer", at: property,
          """
          '\(property.text)' has no value in the initializer that @ModelActor generates; give it one here, or write \
          an initializer that also assigns self.modelContainer and self.modelExecutor
          """))
      // Prevents a second error of the compiler for the same mistake.
      members.append("\(raw: access)init(modelContainer: LarderData.ModelContainer) { fatalError() }")
      return members
    }
    members.append(
      """
      \(raw: access)init(modelContainer: LarderData.ModelContainer) {
        let modelContext = LarderData.ModelContext(modelContainer)
        self.modelExecutor = LarderData.DefaultSerialModelExecutor(modelContext: modelContext)
        self.modelContainer = modelContainer
      }
      """)
    return members
  }
}

extension PersistentModelActorMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ActorDeclSyntax.self) else { return [] }
    let extended: DeclSyntax = "extension \(raw: type.trimmedDescription): LarderData.ModelActor {}"
    return [extended.as(ExtensionDeclSyntax.self)].compactMap { $0 }
  }
}

/// The declarations of an actor with `@ModelActor`.
private struct ModelActorType {
  private let variables: [VariableDeclSyntax]
  private let initializers: [InitializerDeclSyntax]

  /// Reads the actor. A declaration whose `#if` condition is unknown counts as present: if it is missing, the compiler reports
  /// that.
  init(_ node: ActorDeclSyntax, _ conditions: Conditions) {
    let members = conditions.members(node.memberBlock.members).map(\.declaration)
    variables = members.compactMap { $0.as(VariableDeclSyntax.self) }.filter { !$0.isTypeMember }
    initializers = members.compactMap { $0.as(InitializerDeclSyntax.self) }
  }

  func declares(_ name: String) -> Bool {
    variables.contains { $0.bindings.contains { $0.pattern.trimmedDescription == name } }
  }

  /// Whether `init(modelContainer:)` is generated. Initializers of the actor assign the container and the executor themselves,
  /// unless
  /// one calls the generated one.
  var needsContainerInitializer: Bool {
    if initializers.isEmpty { return true }
    let exists = initializers.contains { initializer in
      initializer.signature.parameterClause.parameters.map(\.firstName.text) == ["modelContainer"]
    }
    return !exists && initializers.contains(where: \.callsContainerInitializer)
  }

  /// The first stored property to which `init(modelContainer:)` would assign no value.
  var propertyWithoutValue: TokenSyntax? {
    for variable in variables {
      for binding in variable.bindings where binding.isStored && binding.initializer == nil {
        guard let token = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
          token.text != "modelContainer", token.text != "modelExecutor"
        else { continue }
        let startsAsNil =
          variable.bindingSpecifier.tokenKind == .keyword(.var) && binding.typeAnnotation?.type.isOptional == true
        // A property wrapper may have a default value.
        if !startsAsNil, variable.modifier(.lazy) == nil, variable.attributes.isEmpty { return token }
      }
    }
    return nil
  }
}

extension InitializerDeclSyntax {
  fileprivate var callsContainerInitializer: Bool {
    guard let body else { return false }
    let finder = DelegationFinder(viewMode: .sourceAccurate)
    finder.walk(body)
    return finder.found
  }
}

/// Finds calls of `self.init(modelContainer: …)`.
private final class DelegationFinder: SyntaxVisitor {
  var found = false

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    if let callee = node.calledExpression.as(MemberAccessExprSyntax.self),
      callee.declName.baseName.tokenKind == .keyword(.`init`),
      callee.base?.trimmedDescription == "self",
      node.arguments.map(\.label?.text) == ["modelContainer"]
    {
      found = true
    }
    return found ? .skipChildren : .visitChildren
  }
}
