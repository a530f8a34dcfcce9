import SwiftSyntax

/// The type of a property, as far as its text alone determines it.
enum PropertyType: Equatable {
  /// A standard scalar or an optional of one: stored directly, read and bound by a typed call.
  case scalar(String)
  /// Any other type that the text names.
  case named(String)
  /// The type of an expression that only the compiler can infer.
  case inferred(from: String)

  var isScalar: Bool { if case .scalar = self { true } else { false } }

  /// Whether the text is that of an optional.
  var isOptional: Bool { text.map { $0.hasSuffix("?") || $0.contains("Optional<") } ?? false }

  /// The type's text, if there is one.
  var text: String? {
    switch self {
    case .scalar(let text), .named(let text): text
    case .inferred: nil
    }
  }
}

extension PropertyType {
  /// The types that need one column and no conversion. In LarderData only these conform to `_ColumnValue`.
  static let scalarNames: Set<String> = [
    "Bool", "String", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    "Double", "Float", "Date", "Data", "UUID", "URL", "Decimal",
  ]

  /// Creates the type of a binding, or returns `nil` if neither an annotation nor the initial value determines it.
  ///
  /// - Parameter shadowed: Names of the class's own nested types, which are therefore no scalars.
  init?(of binding: PatternBindingSyntax, shadowed: Set<String>) {
    if let annotation = binding.typeAnnotation?.type {
      self.init(annotation: annotation, shadowed: shadowed)
    } else if let value = binding.initializer?.value {
      self.init(inferredFrom: value, shadowed: shadowed)
    } else {
      return nil
    }
  }

  init(annotation type: TypeSyntax, shadowed: Set<String>) {
    // Only the property itself may have the type `T!`; its storage has the type `T?`.
    if let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      let text = unwrapped.wrappedType.copied + "?"
      self = Self.isScalar(unwrapped.wrappedType, shadowed) ? .scalar(text) : .named(text)
      return
    }
    let wrapped = type.optionalWrapped ?? type
    self = Self.isScalar(wrapped, shadowed) ? .scalar(type.copied) : .named(type.copied)
  }

  private static func isScalar(_ type: TypeSyntax, _ shadowed: Set<String>) -> Bool {
    if let identifier = type.as(IdentifierTypeSyntax.self), identifier.genericArgumentClause == nil {
      return scalarNames.contains(identifier.name.text) && !shadowed.contains(identifier.name.text)
    }
    if let member = type.as(MemberTypeSyntax.self), member.genericArgumentClause == nil,
      let module = member.baseType.as(IdentifierTypeSyntax.self)?.name.text
    {
      return (module == "Swift" || module == "Foundation") && scalarNames.contains(member.name.text)
    }
    return false
  }

  /// Infers only certain types; the compiler infers the others.
  init?(inferredFrom value: ExprSyntax, shadowed: Set<String>) {
    if let scalar = value.certainScalar, !shadowed.contains(scalar) {
      self = .scalar(scalar)
    } else if value.hasInferableType {
      self = .inferred(from: value.copied)
    } else {
      return nil
    }
  }
}

extension TypeSyntax {
  /// `T` of `T?`, `Optional<T>` and `Swift.Optional<T>`.
  fileprivate var optionalWrapped: TypeSyntax? {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType }
    let arguments: GenericArgumentClauseSyntax?
    if let identifier = self.as(IdentifierTypeSyntax.self), identifier.name.text == "Optional" {
      arguments = identifier.genericArgumentClause
    } else if let member = self.as(MemberTypeSyntax.self), member.name.text == "Optional",
      member.baseType.trimmedDescription == "Swift"
    {
      arguments = member.genericArgumentClause
    } else {
      return nil
    }
    guard let arguments, arguments.arguments.count == 1 else { return nil }
    return arguments.arguments.first?.argument.as(TypeSyntax.self)
  }
}

extension ExprSyntax {
  /// Static members of scalars whose type is certainly the scalar's own. (`UInt8.bitWidth`, for example, is an `Int`.)
  private static let selfTypedMembers: [String: Set<String>] = {
    let integer: Set<String> = ["max", "min", "zero"]
    let real: Set<String> = ["zero", "pi", "infinity", "nan", "greatestFiniteMagnitude", "leastNonzeroMagnitude"]
    var members: [String: Set<String>] = [
      "Date": ["now", "distantPast", "distantFuture"], "Decimal": ["zero", "pi", "nan"],
    ]
    for name in ["Double", "Float"] { members[name] = real }
    for name in PropertyType.scalarNames where name.hasPrefix("Int") || name.hasPrefix("UInt") {
      members[name] = integer
    }
    return members
  }()

  /// The scalar type of this initial value, if it is certain.
  fileprivate var certainScalar: String? {
    if self.is(StringLiteralExprSyntax.self) { return "String" }
    if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
    if self.is(FloatLiteralExprSyntax.self) { return "Double" }
    if self.is(BooleanLiteralExprSyntax.self) { return "Bool" }
    if let prefix = self.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "-",
      let scalar = prefix.expression.certainScalar, scalar == "Int" || scalar == "Double"
    {
      return scalar
    }
    if let member = self.as(MemberAccessExprSyntax.self), let base = member.base?.scalarReference,
      Self.selfTypedMembers[base]?.contains(member.declName.baseName.text) == true
    {
      return base
    }
    // `URL(string: "…")!`: the failable initializers of a scalar return nothing else.
    if let unwrap = self.as(ForceUnwrapExprSyntax.self), let call = unwrap.expression.as(FunctionCallExprSyntax.self) {
      return call.calledExpression.scalarReference
    }
    // Without arguments none of them can fail; with arguments some can, and then return optionals.
    if let call = self.as(FunctionCallExprSyntax.self), call.trailingClosure == nil,
      let scalar = call.calledExpression.scalarReference, call.arguments.isEmpty || scalar == "Date"
    {
      return scalar
    }
    return nil
  }

  /// The scalar that this expression names: `Date`, `Foundation.Date`.
  private var scalarReference: String? {
    if let reference = self.as(DeclReferenceExprSyntax.self) {
      return PropertyType.scalarNames.contains(reference.baseName.text) ? reference.baseName.text : nil
    }
    if let member = self.as(MemberAccessExprSyntax.self),
      let module = member.base?.as(DeclReferenceExprSyntax.self)?.baseName.text,
      module == "Foundation" || module == "Swift"
    {
      let name = member.declName.baseName.text
      return PropertyType.scalarNames.contains(name) ? name : nil
    }
    return nil
  }

  /// Whether the compiler can infer a type without an annotation: not for `nil`, `[]`, `[:]` and `.something`.
  fileprivate var hasInferableType: Bool {
    if self.is(NilLiteralExprSyntax.self) { return false }
    if let array = self.as(ArrayExprSyntax.self) { return !array.elements.isEmpty }
    if let dictionary = self.as(DictionaryExprSyntax.self) {
      if case .elements(let elements) = dictionary.content { return !elements.isEmpty }
      return false
    }
    if let call = self.as(FunctionCallExprSyntax.self) { return call.calledExpression.hasInferableType }
    if let member = self.as(MemberAccessExprSyntax.self) { return member.base?.hasInferableType ?? false }
    return true
  }
}
