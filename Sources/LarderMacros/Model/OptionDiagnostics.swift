import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The diagnostics for the options of one `@Attribute`.
struct OptionDiagnostics {
  private let attributes: CompiledAttributes
  private let binding: PatternBindingSyntax
  private let property: PersistedProperty

  init(of attributes: CompiledAttributes, _ binding: PatternBindingSyntax, _ property: PersistedProperty) {
    self.attributes = attributes
    self.binding = binding
    self.property = property
  }

  var diagnostics: [Diagnostic] { [missingValue, exclusiveOptions].compactMap { $0 } }

  private var missingValue: Diagnostic? {
    guard property.kind == .ephemeral, binding.initializer == nil, binding.typeAnnotation?.type.isOptional != true
    else { return nil }
    var fixed = binding
    fixed.typeAnnotation = binding.typeAnnotation?.with(\.trailingTrivia, .space)
    fixed.initializer = InitializerClauseSyntax(
      equal: .equalToken(trailingTrivia: .space), value: ExprSyntax(stringLiteral: "<#value#>"))
    return .error(
      "ephemeral-without-value", at: binding.pattern,
      """
      an .ephemeral property is not in the store, so '\(property.name)' needs a value to begin with when an object is \
      read; give it one here, or make it optional
      """,
      fixIts: [.replace("give it a value", binding, with: fixed)])
  }

  /// A pair of options of which one requires the value in the row, and the other excludes it.
  private var exclusiveOptions: Diagnostic? {
    let pairs = [("ephemeral", "unique"), ("externalStorage", "unique"), ("ephemeral", "externalStorage")]
    for (first, second) in pairs {
      guard attributes.option(first) != nil, let other = attributes.option(second) else { continue }
      let reason =
        first == "ephemeral" ? "an .ephemeral value is not in the store" : "an .externalStorage value is not in the row"
      return .error(
        "options-exclude", at: other,
        "\(reason), so '.\(first)' and '.\(second)' exclude each other; remove one of them")
    }
    return nil
  }
}
