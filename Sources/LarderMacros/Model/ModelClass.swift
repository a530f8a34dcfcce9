import SwiftDiagnostics
import SwiftSyntax

/// A parsed class with `@Model`: its persisted properties, its initializers, and its problems.
///
/// Each role of the macro parses the class again, since the compiler shares no state between roles. Only the member role reports
/// problems, so that each is reported once.
struct ModelClass {
  let node: ClassDeclSyntax
  /// The known conditions of `#if` in the class.
  let conditions: Conditions
  private(set) var properties: [PersistedProperty] = []
  private(set) var problems: [Diagnostic] = []
  private(set) var unique: MacroExpansionDeclSyntax?
  private(set) var indices: [MacroExpansionDeclSyntax] = []

  /// Whether the class declares an initializer of its own, and one that is not `convenience`.
  private(set) var hasInitializer = false
  private(set) var hasDesignatedInitializer = false
  /// Stored properties to which an initializer must assign a value.
  private(set) var uninitializedProperties: [PersistedProperty] = []

  /// Names of types that the class itself declares; they shadow a scalar of the same name.
  private let nestedTypeNames: Set<String>

  init(_ node: ClassDeclSyntax, _ conditions: Conditions) {
    self.node = node
    self.conditions = conditions
    let members = conditions.members(node.memberBlock.members)
    nestedTypeNames = Set(members.compactMap(\.declaration.declaredTypeName))
    for member in members { read(member) }
    checkNameCollisions(among: members.map(\.declaration))
  }

  var name: String { node.name.text }
  var isFinal: Bool { node.modifier(.final) != nil }
  var isOpen: Bool { node.modifier(.open) != nil }

  /// Whether Swift would have given the class an implicit `init()`, which the generated initializers suppress.
  var needsEmptyInitializer: Bool {
    !hasDesignatedInitializer && uninitializedProperties.isEmpty && !declaresEmptyInitializer
  }
  private var declaresEmptyInitializer = false
  /// Whether the class declares `init(backingData:)` itself.
  private(set) var declaresBackingDataInitializer = false

  func property(named name: String) -> PersistedProperty? { properties.first { $0.spelling == name } }
}

// MARK: - Reading members

extension ModelClass {
  private mutating func read(_ member: Conditions.Member) {
    switch member {
    case .compiled(let declaration):
      if let variable = declaration.as(VariableDeclSyntax.self) {
        read(variable)
      } else if let initializer = declaration.as(InitializerDeclSyntax.self) {
        read(initializer)
      } else if let expansion = declaration.as(MacroExpansionDeclSyntax.self) {
        read(expansion)
      }
    case .uncertain(let declaration, let clause):
      readUncertain(declaration, clause)
    }
  }

  private mutating func read(_ initializer: InitializerDeclSyntax) {
    // The required initializer that the compiler offers to write in a subclass creates no new objects.
    if initializer.signature.parameterClause.parameters.first?.firstName.text == "backingData" {
      declaresBackingDataInitializer = true
      return
    }
    hasInitializer = true
    if initializer.modifier(.convenience) == nil { hasDesignatedInitializer = true }
    if initializer.signature.parameterClause.parameters.isEmpty { declaresEmptyInitializer = true }
  }

  private mutating func read(_ expansion: MacroExpansionDeclSyntax) {
    switch expansion.macroName.text {
    case "Unique":
      if unique != nil { problems.append(.secondUnique(expansion)) } else { unique = expansion }
    case "Index": indices.append(expansion)
    default: break
    }
  }

  /// Diagnoses declarations that are compiled only under an unknown condition: rows have one shape.
  private mutating func readUncertain(_ declaration: DeclSyntax, _ clause: IfConfigClauseSyntax) {
    if let variable = declaration.as(VariableDeclSyntax.self) {
      let attributes = conditions.attributes(variable.attributes)
      if attributes.first(named: "Transient") == nil, variable.isStoredVariable {
        problems.append(.conditionalProperty(variable, clause))
      }
    } else if let initializer = declaration.as(InitializerDeclSyntax.self) {
      read(initializer)
    } else if let expansion = declaration.as(MacroExpansionDeclSyntax.self),
      ["Unique", "Index"].contains(expansion.macroName.text)
    {
      problems.append(.conditionalConstraint(expansion, clause))
    }
  }

  private mutating func read(_ variable: VariableDeclSyntax) {
    guard !variable.isTypeMember else { return }
    let attributes = conditions.attributes(variable.attributes)
    if attributes.first(named: "Transient") != nil {
      // The macro `@Transient` diagnoses its own mistakes.
      return
    }
    let isPersistedConstant = isPersistedConstant(variable, attributes)
    guard variable.isStoredVariable || isPersistedConstant else {
      readConstant(variable)
      return
    }
    if let (attribute, clause) = attributes.uncertainMarker {
      problems.append(.conditionalMarker(attribute, clause))
      return
    }
    if let modifier = variable.modifier(.override) {
      problems.append(.overridden(variable, modifier))
      return
    }
    if let modifier = variable.modifier(.lazy) {
      problems.append(.lazy(variable, modifier))
      return
    }
    if let modifier = variable.modifier(.weak) ?? variable.modifier(.unowned) {
      problems.append(.ineffectiveOwnership(variable, modifier))
    }
    guard variable.bindings.count == 1, let binding = variable.bindings.first else {
      problems.append(.severalBindings(variable))
      return
    }
    guard let token = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
      problems.append(.pattern(binding.pattern))
      return
    }
    guard let type = PropertyType(of: binding, shadowed: nestedTypeNames) else {
      problems.append(.noType(token, binding))
      return
    }
    if let observer = binding.observers.first { problems.append(.observer(observer, of: token)) }
    let property = PersistedProperty(
      token: token.trimmed, index: properties.count, type: type, kind: PropertyKind(attributes),
      initialValue: binding.initializer?.value.copied,
      marker: attributes.first(named: "Attribute") ?? attributes.first(named: "Relationship"))
    properties.append(property)
    problems += OptionDiagnostics(of: attributes, binding, property).diagnostics
    if binding.initializer == nil, binding.typeAnnotation?.type.isOptional != true {
      uninitializedProperties.append(property)
    }
  }

  /// Returns whether a `let` is persisted. Before language mode 6 the compiler allows accessors on a `let`. It is persisted in
  /// that case, unless it has the same value in each object.
  private func isPersistedConstant(_ variable: VariableDeclSyntax, _ attributes: CompiledAttributes) -> Bool {
    guard conditions.constantsMayHaveAccessors, variable.isConstant, variable.bindings.count == 1,
      let binding = variable.bindings.first
    else { return false }
    guard let value = binding.initializer?.value else { return true }
    let isMarked = ["Attribute", "Relationship"].contains { attributes.first(named: $0) != nil }
    return isMarked || value.isNondeterministic(as: binding.typeAnnotation?.type)
  }

  /// Diagnoses a `let`. It is not persisted, and an initializer from a row could not assign its value.
  private mutating func readConstant(_ variable: VariableDeclSyntax) {
    guard variable.isConstant else { return }
    for binding in variable.bindings {
      guard let value = binding.initializer?.value else {
        problems.append(.constant(variable, binding))
        continue
      }
      if value.isNondeterministic(as: binding.typeAnnotation?.type) {
        problems.append(.changingConstant(variable, binding))
      }
    }
  }

  private mutating func checkNameCollisions(among members: [DeclSyntax]) {
    var seen: [String: PersistedProperty] = [:]
    for property in properties {
      let key = property.name.asciiLowercased
      if let other = seen[key], other.name != property.name {
        problems.append(.namesDifferByCase(property, other, node))
      }
      seen[key] = seen[key] ?? property
      if ModelNames.generated.contains(property.name) {
        problems.append(.generatedName(property.token(in: node)))
      } else if ModelNames.hidden.contains(property.name) {
        problems.append(.hiddenName(property.token(in: node)))
      }
    }
    var clashing: Set<String> = []
    let storages = Dictionary(properties.map { ("_" + $0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for member in members {
      guard let variable = member.as(VariableDeclSyntax.self), !variable.isTypeMember else { continue }
      for binding in variable.bindings {
        guard let token = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
          let property = storages[token.bareName]
        else { continue }
        problems.append(.storageName(token, of: property))
        clashing.insert(property.spelling)
      }
    }
    properties.removeAll { clashing.contains($0.spelling) }
  }
}

/// Names with a meaning in every model.
enum ModelNames {
  /// The names that `@Model` itself declares in the class.
  static let generated: Set<String> = ["persistentBackingData"]
  /// The names of members of `PersistentModel`: a property with such a name hides the member in the user's own code. (`id` is
  /// intended to be hidden, and Apple's own samples do so.)
  static let hidden: Set<String> = ["modelContext", "persistentModelID", "hasChanges", "isDeleted"]
}

extension PersistedProperty {
  /// Returns the name's token in the source, for diagnostics.
  fileprivate func token(in node: ClassDeclSyntax) -> TokenSyntax { node.token(ofProperty: spelling) ?? node.name }
}

extension ClassDeclSyntax {
  /// Protocols to which models often conform; any other name may be that of a class.
  private static let commonProtocols: Set<String> = [
    "AnyObject", "Codable", "Comparable", "CustomDebugStringConvertible", "CustomStringConvertible", "Decodable",
    "Encodable", "Equatable", "Hashable", "Identifiable", "Observable", "PersistentModel", "Sendable",
    "SendableMetatype",
  ]

  /// Whether the class may have a superclass, by its own text only: the result must be the same in each role of the macro, and
  /// only one role receives the inherited conformances.
  var mayInherit: Bool { possibleSuperclass != nil }

  /// The possible superclass. A superclass comes first, except that in a composition it may come anywhere, where the first name
  /// that
  /// is not a common protocol's counts as the superclass.
  var possibleSuperclass: TypeSyntax? {
    inheritanceClause?.inheritedTypes.first?.type.composedTypes.first { type in
      (type.is(IdentifierTypeSyntax.self) || type.is(MemberTypeSyntax.self))
        && !Self.commonProtocols.contains(type.lastName)
    }
  }

  func token(ofProperty name: String) -> TokenSyntax? {
    for variable in memberBlock.members.flatMap(\.variables) {
      for binding in variable.bindings {
        if let token = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier, token.text == name { return token }
      }
    }
    return nil
  }
}

extension MemberBlockItemSyntax {
  /// The variables that are declared here, in all branches of an `#if`.
  fileprivate var variables: [VariableDeclSyntax] {
    if let variable = decl.as(VariableDeclSyntax.self) { return [variable] }
    let clauses = decl.as(IfConfigDeclSyntax.self)?.clauses.map { $0 } ?? []
    return clauses.flatMap { $0.memberList?.flatMap(\.variables) ?? [] }
  }
}

// MARK: - Properties of members

extension VariableDeclSyntax {
  var isTypeMember: Bool { modifier(.static) != nil || modifier(.class) != nil }

  /// Whether this is a stored `var` of the instance, which is persisted unless it is excluded.
  var isStoredVariable: Bool {
    bindingSpecifier.tokenKind == .keyword(.var) && !isTypeMember && bindings.allSatisfy(\.isStored)
  }

  var isConstant: Bool { bindingSpecifier.tokenKind == .keyword(.let) }
}

extension PatternBindingSyntax {
  /// Whether the binding has storage: it has no accessors, or only observers.
  var isStored: Bool {
    guard let accessorBlock else { return true }
    guard case .accessors(let accessors) = accessorBlock.accessors else { return false }
    return accessors.allSatisfy(\.isObserver)
  }

  var observers: [AccessorDeclSyntax] {
    guard let accessorBlock, case .accessors(let accessors) = accessorBlock.accessors else { return [] }
    return accessors.filter(\.isObserver)
  }
}

extension AccessorDeclSyntax {
  fileprivate var isObserver: Bool {
    accessorSpecifier.tokenKind == .keyword(.didSet) || accessorSpecifier.tokenKind == .keyword(.willSet)
  }
}

extension TypeSyntax {
  /// Whether a variable of this type is initially nil.
  var isOptional: Bool { self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) }
}

extension DeclSyntax {
  fileprivate var declaredTypeName: String? {
    if let node = self.as(StructDeclSyntax.self) { return node.name.text }
    if let node = self.as(EnumDeclSyntax.self) { return node.name.text }
    if let node = self.as(ClassDeclSyntax.self) { return node.name.text }
    return self.as(TypeAliasDeclSyntax.self)?.name.text
  }
}

extension String {
  /// The text in lower case by SQLite's rule for column names: ASCII only.
  fileprivate var asciiLowercased: String {
    String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }
}
