import SwiftSyntax
import SwiftSyntaxMacros

/// The choice of `#if` branches, as far as a macro can know it.
///
/// The compiler passes flags, platform and versions to its plug-in, but not the available modules: SwiftData's modules and Apple's
/// frameworks are known by their names. The expansion contains these assumptions, and the compiler confirms them there.
final class Conditions {
  private let build: BuildSettings
  /// The modules for which a condition has been answered, in the order of the questions.
  private var assumedModules: [(module: String, exists: Bool)] = []

  init(_ build: BuildSettings) { self.build = build }
  convenience init(_ context: some MacroExpansionContext) { self.init(BuildSettings(context)) }

  /// Whether a `let` may have accessors, which is an error from language mode 6 on.
  var constantsMayHaveAccessors: Bool { build.isLanguageMode6 == false }

  /// A text that differs between different conditions.
  var fingerprint: String { build.fingerprint }
}

// MARK: - Branches

extension Conditions {
  enum Branch {
    /// The branch that is compiled; `nil` if there is none.
    case compiled(IfConfigClauseSyntax?)
    /// The branch whose condition decides, and which the macro cannot evaluate.
    case unknown(IfConfigClauseSyntax)
  }

  func branch(of conditional: IfConfigDeclSyntax) -> Branch {
    for clause in conditional.clauses {
      guard let condition = clause.condition else { return .compiled(clause) }
      guard let holds = evaluate(condition) else { return .unknown(clause) }
      if holds { return .compiled(clause) }
    }
    return .compiled(nil)
  }

  /// Returns whether a condition holds; `nil` if that is unknown.
  private func evaluate(_ condition: ExprSyntax) -> Bool? {
    if let tuple = condition.as(TupleExprSyntax.self), tuple.elements.count == 1, let element = tuple.elements.first {
      return evaluate(element.expression)
    }
    if let literal = condition.as(BooleanLiteralExprSyntax.self) { return literal.literal.tokenKind == .keyword(.true) }
    if let prefix = condition.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "!" {
      return evaluate(prefix.expression).map { !$0 }
    }
    if let sequence = condition.as(SequenceExprSyntax.self) { return evaluate(Array(sequence.elements)[...]) }
    if let infix = condition.as(InfixOperatorExprSyntax.self) {
      return evaluate([infix.leftOperand, infix.operator, infix.rightOperand])
    }
    if let call = condition.as(FunctionCallExprSyntax.self), call.calledExpression.trimmedDescription == "canImport" {
      return canImport(call)
    }
    return build.evaluate(condition)
  }

  /// Evaluates operands and operators in turn; `&&` binds closer than `||`. One side may decide if the other is unknown.
  private func evaluate(_ sequence: ArraySlice<ExprSyntax>) -> Bool? {
    for (text, decisive) in [("||", true), ("&&", false)] {
      guard let index = sequence.firstIndex(where: { $0.as(BinaryOperatorExprSyntax.self)?.operator.text == text })
      else { continue }
      let left = evaluate(sequence[..<index])
      if left == decisive { return decisive }
      let right = evaluate(sequence[(index + 1)...])
      if right == decisive { return decisive }
      return left == nil || right == nil ? nil : !decisive
    }
    return sequence.count == 1 ? sequence.first.flatMap { evaluate($0) } : nil
  }
}

// MARK: - Modules

extension Conditions {
  private func canImport(_ call: FunctionCallExprSyntax) -> Bool? {
    guard let path = call.arguments.first?.expression.trimmedDescription,
      let exists = KnownModules.exists(path, onApple: isApple)
    else { return nil }
    // An earlier version may be installed.
    if exists, call.arguments.count > 1 { return nil }
    if !assumedModules.contains(where: { $0.module == path }) { assumedModules.append((path, exists)) }
    return exists
  }

  /// Whether the platform is one of Apple's; `nil` if the platform is unknown.
  private var isApple: Bool? {
    // An unknown platform may be a future one of Apple's.
    let others = ["Linux", "Windows", "Android", "WASI", "FreeBSD", "OpenBSD"]
    let answers = others.map { build.evaluate("os(\(raw: $0))") }
    return answers.contains(nil) ? nil : !answers.contains(true)
  }

  /// Lines that make the compiler confirm the assumptions.
  var assertions: [String] {
    assumedModules.flatMap { module, exists in
      let remedy = exists ? "add the product that has the module, or move" : "move"
      return [
        "#if \(exists ? "!" : "")canImport(\(module))",
        """
          #error("The macro takes canImport(\(module)) to be \(exists), and it is \(!exists) here; \(remedy) what depends on it \
        out of #if")
        """,
        "#endif",
      ]
    }
  }
}
