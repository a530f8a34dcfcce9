import SwiftDiagnostics
import SwiftIfConfig
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

/// What the macros make of a source file.
struct Expansion {
  let text: String
  /// In the order of the file: "3:7 error: …".
  let diagnostics: [String]
  /// The file after each fix-it, in the order of the diagnostics.
  let fixed: [String]
}

private let specifications: [String: MacroSpec] = [
  "Model": MacroSpec(type: PersistentModelMacro.self, conformances: ["Observable", "PersistentModel", "Sendable"]),
  "_PersistedProperty": MacroSpec(type: PersistedPropertyMacro.self),
  "_TransformablePersistedProperty": MacroSpec(type: TransformablePersistedPropertyMacro.self),
  "Attribute": MacroSpec(type: AttributePropertyMacro.self),
  "Relationship": MacroSpec(type: RelationshipPropertyMacro.self),
  "Transient": MacroSpec(type: TransientPropertyMacro.self),
  "Unique": MacroSpec(type: UniqueConstraintsMacro.self),
  "Index": MacroSpec(type: IndexMacro.self),
  "JSONReadable": MacroSpec(type: JSONReadableMacro.self, conformances: ["JSONReadable"]),
  "JSONDate": MacroSpec(type: JSONDateMacro.self),
  "ModelActor": MacroSpec(type: PersistentModelActorMacro.self, conformances: ["ModelActor"]),
]

/// Expands the macros named in `source`.
///
/// - Parameters:
///   - inherited: conformances that the compiler would find made already, by a superclass say.
///   - build: what the compiler would tell of flags, platform and versions.
func expand(_ source: String, inherited: Bool = false, build: StaticBuildConfiguration? = nil) -> Expansion {
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")], buildConfiguration: build)
  var specifications = specifications
  if inherited { specifications["Model"] = MacroSpec(type: PersistentModelMacro.self) }
  let expanded = file.expand(
    macroSpecs: specifications,
    contextGenerator: { BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.enclosingDeclarations) },
    indentationWidth: .spaces(2))

  let located = context.diagnostics.map { diagnostic in
    (diagnostic, context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Test.swift"))
  }
  .sorted { ($0.1.line, $0.1.column) < ($1.1.line, $1.1.column) }
  return Expansion(
    text: expanded.description,
    diagnostics: located.map { diagnostic, location in
      "\(location.line):\(location.column) \(diagnostic.diagMessage.severity): \(diagnostic.message)"
    },
    fixed: located.flatMap { diagnostic, _ in diagnostic.fixIts }.map { apply($0, to: file, context) })
}

private func apply(_ fixIt: FixIt, to file: SourceFileSyntax, _ context: BasicMacroExpansionContext) -> String {
  var utf8 = Array(file.description.utf8)
  for change in fixIt.changes {
    guard case .replace(let old, let new) = change else { continue }
    let start = context.location(for: old.position, anchoredAt: old, fileName: "Test.swift").offset
    utf8.replaceSubrange(start..<start + old.totalLength.utf8Length, with: Array(new.description.utf8))
  }
  return String(decoding: utf8, as: UTF8.self)
}

extension Syntax {
  /// As the compiler gives it to a macro: the declarations around, from the inside out, without their members.
  fileprivate var enclosingDeclarations: [Syntax] {
    sequence(first: self, next: \.parent).dropFirst().compactMap { $0.asMacroLexicalContext() }
  }
}
