import SwiftSyntax
import SwiftSyntaxMacros

// SwiftSyntax 603, which the compiler 6.3 has, tells macros how the module is built.
#if canImport(SwiftSyntax603) || (LARDER_HOST_SWIFT_SYNTAX && compiler(>=6.3))
  import SwiftDiagnostics
  import SwiftIfConfig

  /// What the compiler tells its plug-in of the module that it builds: flags, platform and versions.
  struct BuildSettings {
    private let configuration: (any BuildConfiguration)?

    init(_ configuration: (any BuildConfiguration)?) { self.configuration = configuration }
    init(_ context: some MacroExpansionContext) { self.init(context.buildConfiguration) }

    /// Whether a condition of `#if` without operators holds; nil where that is unknown, as of each `canImport`.
    func evaluate(_ condition: ExprSyntax) -> Bool? {
      guard let configuration else { return nil }
      let (state, _, diagnostics) = IfConfigRegionState.evaluating(condition, in: configuration)
      return diagnostics.contains { $0.diagMessage.severity == .error } ? nil : state == .active
    }

    /// Whether the language mode is 6 or later; nil where that is unknown.
    var isLanguageMode6: Bool? { configuration.map { !($0.languageVersion < VersionTuple(6)) } }

    /// Sets these facts apart from others.
    var fingerprint: String {
      guard let known = configuration as? StaticBuildConfiguration else { return "" }
      let names = [known.customConditions, known.features, known.targetOSs, known.targetEnvironments]
      let versions = [known.languageVersion, known.compilerVersion].map { "\($0.components)" }
      return (names.flatMap { $0.sorted() } + versions).joined(separator: " ")
    }
  }
#else
  /// What the compiler tells its plug-in of the module that it builds: nothing yet.
  struct BuildSettings {
    init(_ context: some MacroExpansionContext) {}

    func answer(_ condition: ExprSyntax) -> Bool? { nil }
    var isLanguageMode6: Bool? { nil }
    var fingerprint: String { "" }
  }
#endif
