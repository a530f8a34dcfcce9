import SwiftSyntax

/// How a persisted property is kept, as far as the options of its `@Attribute` say it in the source.
enum PropertyKind: Equatable {
  /// In the row.
  case ordinary
  /// In the row, as what a value transformer makes of it.
  case transformed
  /// Apart from the row, and read when it is first asked for.
  case external
  /// In memory only.
  case ephemeral

  init(_ variable: VariableDeclSyntax) {
    // What is not stored is neither transformed nor kept apart.
    if variable.attributeOption("ephemeral") != nil {
      self = .ephemeral
    } else if variable.attributeOption("externalStorage") != nil {
      self = .external
    } else if variable.attributeOption("transformable") != nil {
      self = .transformed
    } else {
      self = .ordinary
    }
  }

  /// The type of what stands beside the storage; nil where the property's type decides it.
  var key: String? {
    switch self {
    case .ordinary: nil
    case .transformed: "TransformedKey"
    case .external: "ExternalKey"
    case .ephemeral: "EphemeralKey"
    }
  }
}

extension VariableDeclSyntax {
  /// An option among the arguments of `@Attribute`: `.name`, `.name(…)`, or the same with its type written out.
  func attributeOption(_ name: String) -> ExprSyntax? {
    guard let arguments = attributes.first(named: "Attribute")?.arguments?.as(LabeledExprListSyntax.self) else {
      return nil
    }
    return arguments.first { argument in
      guard argument.label == nil else { return false }
      let expression = argument.expression.as(FunctionCallExprSyntax.self)?.calledExpression ?? argument.expression
      return expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == name
    }?.expression
  }
}
