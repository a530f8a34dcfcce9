import SwiftSyntax
import SwiftSyntaxMacros

// SwiftSyntax 603, of the compiler 6.3, provides the build settings of the module to macros.
#if canImport(SwiftSyntax603) || (LARDER_HOST_SWIFT_SYNTAX && compiler(>=6.3))
  import SwiftDiagnostics
  import SwiftIfConfig

  /// The settings of the module that the compiler passes to its plug-in: flags, platform and versions.
  struct BuildSettings {
    private let configuration: (any BuildConfiguration)?

    init(_ configuration: (any BuildConfiguration)?) { self.configuration = configuration }
    init(_ context: some MacroExpansionContext) { self.init(context.buildConfiguration) }

    /// Returns whether a condition of `#if` without operators holds; `nil` if that is unknown, as for each `canImport`.
    func evaluate(_ condition: ExprSyntax) -> Bool? {
      guard let configuration else { return nil }
      let (state, _, diagnostics) = IfConfigRegionState.evaluating(condition, in: configuration)
      return diagnostics.contains { $0.diagMessage.severity == .error } ? nil : state == .active
    }

    /// Whether the language mode is 6 or later; `nil` if that is unknown.
    var isLanguageMode6: Bool? { configuration.map { !($0.languageVersion < VersionTuple(6)) } }

    /// A text that differs between different settings.
    var fingerprint: String {
      guard let known = configuration as? StaticBuildConfiguration else { return "" }
      let names = [known.customConditions, known.features, known.targetOSs, known.targetEnvironments]
      let versions = [known.languageVersion, known.compilerVersion].map { "\($0.components)" }
      return (names.flatMap { $0.sorted() } + versions).joined(separator: " ")
    }
  }
#else
  /// The settings of the module that the compiler passes to its plug-in: none in this version.
  struct BuildSettings {
    init(_ context: some MacroExpansionContext) {}

    func evaluate(_ condition: ExprSyntax) -> Bool? { nil }
    var isLanguageMode6: Bool? { nil }
    var fingerprint: String { "" }
  }
#endif
