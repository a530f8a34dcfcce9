import SwiftSyntax
import SwiftSyntaxMacros

/// Which branches of `#if` the compiler takes, as far as a macro can know it.
///
/// The compiler tells its plug-in the flags, the platform and the versions, but not which modules there are: those that
/// come with SwiftData, and Apple's frameworks, are known by their names. What is taken for granted so is written into
/// the expansion, where the compiler confirms it.
final class Conditions {
  private let build: BuildSettings
  /// The modules of which a condition has been answered, in the order of the questions.
  private var assumedModules: [(module: String, exists: Bool)] = []

  init(_ build: BuildSettings) { self.build = build }
  convenience init(_ context: some MacroExpansionContext) { self.init(BuildSettings(context)) }

  /// Whether a `let` may have accessors, which is an error from language mode 6 on.
  var constantsMayHaveAccessors: Bool { build.isLanguageMode6 == false }

  /// Sets these conditions apart from others.
  var fingerprint: String { build.fingerprint }
}

// MARK: - Branches

extension Conditions {
  enum Branch {
    /// The branch that is compiled; nil where none is.
    case compiled(IfConfigClauseSyntax?)
    /// The condition of this branch decides, and the macro cannot answer it.
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

  /// Whether a condition holds; nil where that cannot be known.
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

  /// Operands and operators in turn, of which `&&` binds closer than `||`. One side may decide where the other is unknown.
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
    // It may be there in an earlier version.
    if exists, call.arguments.count > 1 { return nil }
    if !assumedModules.contains(where: { $0.module == path }) { assumedModules.append((path, exists)) }
    return exists
  }

  /// Whether the module is for one of Apple's systems; nil where the platform is unknown.
  private var isApple: Bool? {
    // A platform that the compiler does not know may be one of Apple's to come.
    let others = ["Linux", "Windows", "Android", "WASI", "FreeBSD", "OpenBSD"]
    let answers = others.map { build.evaluate("os(\(raw: $0))") }
    return answers.contains(nil) ? nil : !answers.contains(true)
  }

  /// Lines that make the compiler confirm what has been taken for granted.
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
