import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A type with `@JSONReadable`: the relevant declarations in its body.
struct RecordType {
  let declaration: any DeclGroupSyntax
  let access: String
  private(set) var properties: [RecordProperty] = []
  private(set) var problems: [Diagnostic] = []
  /// Whether the user has written the initializer.
  private(set) var declaresInitializer = false
  private(set) var genericRequirements = ""

  /// The date format in the attribute.
  private let dateFormat: String
  let convertsFromSnakeCase: Bool
  private let conditions: Conditions
  private let members: [Conditions.Member]
  /// The coding keys by property name; `nil` if the type has no `CodingKeys`.
  private var codingKeys: [String: (key: String, token: TokenSyntax)]?

  /// Whether code can be generated.
  var isSound: Bool { !problems.contains { $0.diagMessage.severity == .error } }

  init(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax, in context: some MacroExpansionContext) {
    self.declaration = declaration
    conditions = Conditions(context)
    members = conditions.members(declaration.memberBlock.members)
    access = declaration.asProtocol((any WithModifiersSyntax).self)?.witnessAccessModifier ?? ""
    let arguments = attribute.arguments?.as(LabeledExprListSyntax.self)
    func argument(_ label: String) -> ExprSyntax? { arguments?.first { $0.label?.text == label }?.expression }
    dateFormat = argument("dates")?.copied ?? ".iso8601"
    let keys = argument("keys")
    convertsFromSnakeCase = keys?.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "convertFromSnakeCase"
    if let keys, keys.as(MemberAccessExprSyntax.self) == nil { problems.append(.keysNotLiteral(keys)) }
    if let problem = Diagnostic.misplacedRecord(declaration, in: context) {
      problems = [problem]
      return
    }
    readCodingKeys()
    for member in members { read(member) }
    checkUnusedKeys()
    checkDuplicateKeys()
    addGenericRequirements()
  }

  /// Lines that make the compiler confirm the assumptions about the branches of `#if`.
  var assertions: [String] { conditions.assertions }

  // MARK: Members

  private mutating func readCodingKeys() {
    for member in members {
      guard let node = member.declaration.as(EnumDeclSyntax.self), node.name.text == "CodingKeys" else { continue }
      if case .uncertain(_, let clause) = member { problems.append(.conditionalRecordPart(node.name, clause)) }
      var keys: [String: (String, TokenSyntax)] = [:]
      for part in conditions.members(node.memberBlock.members) {
        guard let cases = part.declaration.as(EnumCaseDeclSyntax.self) else { continue }
        if case .uncertain(_, let clause) = part { problems.append(.conditionalRecordPart(cases, clause)) }
        for element in cases.elements {
          let raw = element.rawValue?.value
          if let raw, raw.as(StringLiteralExprSyntax.self)?.representedLiteralValue == nil {
            problems.append(.rawValueNotLiteral(raw))
          }
          let name = element.name.bareName
          keys[name] = (raw?.as(StringLiteralExprSyntax.self)?.representedLiteralValue ?? name, element.name)
        }
      }
      codingKeys = keys
    }
  }

  private mutating func read(_ member: Conditions.Member) {
    if let initializer = member.declaration.as(InitializerDeclSyntax.self) {
      let labels = initializer.signature.parameterClause.parameters.map(\.firstName.text)
      if labels == ["reading"] { declaresInitializer = true }
      return
    }
    if case .uncertain(let declaration, let clause) = member {
      let variable = declaration.as(VariableDeclSyntax.self)
      if variable?.bindings.contains(where: \.isStored) == true {
        problems.append(.conditionalRecordPart(declaration, clause))
      }
      return
    }
    let variable = member.declaration.as(VariableDeclSyntax.self)
    guard let variable, !variable.isTypeMember, variable.modifier(.lazy) == nil
    else { return }
    // One type annotation may follow several names.
    var type: TypeSyntax?
    var bindings: [(PatternBindingSyntax, TypeSyntax?)] = []
    for binding in variable.bindings.reversed() {
      type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? type : nil)
      bindings.insert((binding, type), at: 0)
    }
    for (binding, type) in bindings where binding.isStored { read(binding, type, of: variable) }
  }

  private mutating func read(_ binding: PatternBindingSyntax, _ type: TypeSyntax?, of variable: VariableDeclSyntax) {
    guard let token = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
      problems.append(.recordPattern(binding.pattern))
      return
    }
    let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
    let startsAsNil = !isConstant && binding.initializer == nil && type?.isOptional == true
    let hasDefault = binding.initializer != nil || startsAsNil
    var key = token.bareName
    if let codingKeys {
      guard let named = codingKeys[key] else {
        if !hasDefault { problems.append(.notInCodingKeys(token)) }
        return
      }
      key = named.key
    }
    if isConstant, binding.initializer != nil {
      problems.append(.constantWithValue(token, variable))
      return
    }
    guard let type = type ?? binding.initializer?.value.literalType else {
      problems.append(.noRecordType(token))
      return
    }
    if let problem = ReadExpression.problem(type) {
      problems.append(problem)
      return
    }
    let attributes = conditions.attributes(variable.attributes)
    for (attribute, clause) in attributes.uncertain where attribute.baseName == "JSONDate" {
      problems.append(.conditionalRecordPart(attribute, clause))
    }
    let format = attributes.first(named: "JSONDate")?.argumentText ?? dateFormat
    properties.append(
      RecordProperty(
        name: token.text, token: token, key: key, type: type, dateFormat: format, hasDefault: hasDefault))
  }

  // MARK: All properties

  private mutating func checkUnusedKeys() {
    guard let codingKeys else { return }
    let names = Set(
      members.compactMap { $0.declaration.as(VariableDeclSyntax.self) }.flatMap { $0.bindings }
        .compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareName })
    for (name, key) in codingKeys.sorted(by: { $0.value.token.position < $1.value.token.position })
    where !names.contains(name) {
      problems.append(.keyWithoutProperty(key.token))
    }
  }

  private mutating func checkDuplicateKeys() {
    var seen: [String: RecordProperty] = [:]
    for property in properties {
      if let other = seen[property.key] { problems.append(.sameKey(property, other)) }
      seen[property.key] = property
    }
    if convertsFromSnakeCase { assignSnakeCaseKeys() }
  }

  /// Assigns to properties the keys that `convertToSnakeCase` creates from their names. If such a key converts back to another
  /// property's key, it belongs to that property. If it converts back to no property, it is accepted: `image_url` for `imageURL`.
  private mutating func assignSnakeCaseKeys() {
    var seen: [String: RecordProperty] = [:]
    for index in properties.indices {
      let property = properties[index]
      let key = property.key.snakeCase
      let name = key.camelCase
      if name != property.key {
        if let other = properties.first(where: { $0.key == name }) {
          if key == property.key { problems.append(.sameKey(property, other, key)) }
          continue
        }
        if let other = seen[key] {
          problems.append(.sameKey(property, other, key))
          continue
        }
        seen[key] = property
      }
      properties[index].snakeCaseKey = key
    }
  }

  /// Requires that generic parameters in property types can be read themselves.
  private mutating func addGenericRequirements() {
    let clause =
      declaration.as(StructDeclSyntax.self)?.genericParameterClause
      ?? declaration.as(ClassDeclSyntax.self)?.genericParameterClause
    guard let clause else { return }
    let mentioned = Set(
      properties.flatMap { $0.type.tokens(viewMode: .sourceAccurate).map(\.text) })
    let parameters = clause.parameters.filter { mentioned.contains($0.name.text) }
    if let pack = clause.parameters.first(where: { $0.specifier != nil }) {
      problems.append(.parameterPack(pack))
      return
    }
    guard !parameters.isEmpty else { return }
    genericRequirements =
      " where " + parameters.map { "\($0.name.text): LarderJSON.JSONReadable" }.joined(separator: ", ")
  }
}

/// A property that is read.
struct RecordProperty {
  /// The name in the source, with backticks where it needs them.
  let name: String
  let token: TokenSyntax
  /// The key in the document, or the converted key.
  let key: String
  /// The usual form of the key in a document whose keys are converted.
  var snakeCaseKey: String?
  let type: TypeSyntax
  let dateFormat: String
  /// Whether the property has a value if the document has none.
  let hasDefault: Bool
}

extension ExprSyntax {
  /// The type of a literal.
  fileprivate var literalType: TypeSyntax? {
    if self.is(StringLiteralExprSyntax.self) { return "String" }
    if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
    if self.is(FloatLiteralExprSyntax.self) { return "Double" }
    if self.is(BooleanLiteralExprSyntax.self) { return "Bool" }
    if let minus = self.as(PrefixOperatorExprSyntax.self), minus.operator.text == "-" {
      return minus.expression.literalType
    }
    return nil
  }
}
