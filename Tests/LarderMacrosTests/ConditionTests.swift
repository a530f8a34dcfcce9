import SwiftIfConfig
import Testing

/// What stands in `#if`: the macros take what the compiler takes, and say so where they cannot know it.
@Suite struct ConditionTests {
  private static var linux: StaticBuildConfiguration {
    StaticBuildConfiguration(
      customConditions: ["FLAG"], features: ["Noncopyable"], targetOSs: ["Linux"], targetArchitectures: ["x86_64"],
      languageVersion: VersionTuple(6), compilerVersion: VersionTuple(6, 3))
  }
  private static var swift5: StaticBuildConfiguration {
    StaticBuildConfiguration(
      targetOSs: ["Linux"], languageVersion: VersionTuple(5), compilerVersion: VersionTuple(6, 3))
  }

  private func model(_ members: String, build: StaticBuildConfiguration? = linux) -> Expansion {
    expand("@Model class A {\n\(members)\n}", build: build)
  }

  static let conditions: [(String, Bool)] = [
    ("FLAG", true), ("!FLAG", false), ("OTHER", false), ("os(Linux)", true), ("os(macOS) || os(iOS)", false),
    ("arch(x86_64) && FLAG", true), ("swift(>=6.0)", true), ("swift(<6)", false), ("compiler(>=6.3)", true),
    ("compiler(>=99)", false), ("true", true), ("false || FLAG && !OTHER", true), ("(OTHER || FLAG) && FLAG", true),
    ("OTHER && FLAG || OTHER", false), ("hasFeature(Noncopyable)", true), ("canImport(SwiftData)", true),
    ("!canImport(SwiftData)", false), ("canImport(SwiftUI)", false), ("canImport(Charts) && OTHER", false),
    ("OTHER && canImport(Charts)", false), ("canImport(Charts) || FLAG", true), ("!(canImport(Foundation))", false),
    ("canImport(UIKit) || canImport(AppKit)", false), ("canImport(Darwin, _version: 2)", false),
  ]

  @Test(arguments: conditions) func attributesOfTheBranchThatIsCompiled(_ condition: String, _ holds: Bool) {
    let expansion = model(
      """
        #if \(condition)
        @Attribute(.unique)
        #else
        @Attribute(originalName: "x")
        #endif
        var a = 1
      """)
    #expect(expansion.diagnostics == [])
    #expect(expansion.text.contains("metadata: LarderData.Schema.Attribute(.unique)") == holds)
    #expect(expansion.text.contains(#"metadata: LarderData.Schema.Attribute(originalName: "x")"#) == !holds)
  }

  @Test(arguments: conditions) func propertiesOfTheBranchThatIsCompiled(_ condition: String, _ holds: Bool) {
    let expansion = model(
      "  #if \(condition)\n  var a: Int = 1\n  #else\n  var a: String = \"\"\n  var b = 2\n  #endif\n  var c: [Int] = []"
    )
    #expect(expansion.diagnostics == [])
    #expect(expansion.text.contains("defaultValue: (1) as Int") == holds)
    #expect(expansion.text.contains(#"defaultValue: ("") as String"#) == !holds)
    #expect(expansion.text.contains("scalars: [0\(holds ? "" : ", 1")]"))
  }

  @Test(arguments: conditions) func constraintsOfTheBranchThatIsCompiled(_ condition: String, _ holds: Bool) {
    let expansion = model(
      """
        #if \(condition)
        #Unique<A>([\\.a])
        #else
        #Unique<A>([\\.a, \\.b])
        #Index<A>([\\.b])
        #endif
        var a = 1
        var b = 1
      """)
    #expect(expansion.diagnostics == [])
    #expect(expansion.text.contains("Schema.Unique<A>([\\.a]))") == holds)
    #expect(expansion.text.contains("Schema.Unique<A>([\\.a, \\.b]))") == !holds)
    #expect(expansion.text.contains("Schema.Index<A>([\\.b]))") == !holds)
  }

  @Test func transientAndOptionsThatChooseTheStorage() {
    let expansion = model(
      """
        #if FLAG
        @Transient
        #endif
        var a = 1
        #if !FLAG
        @Transient
        #elseif os(Linux)
          #if arch(x86_64)
          @Attribute(.externalStorage)
          #endif
        #endif
        var b = Data()
        #if os(Windows)
        @Attribute(.ephemeral)
        #endif
        var c = 1
      """)
    #expect(expansion.diagnostics == [])
    #expect(!expansion.text.contains(#"name: "a""#))
    #expect(expansion.text.contains("scalars: [1], external: [0])"))
  }

  @Test func compilerConfirmsWhatIsTakenForGranted() {
    let text = model("  #if canImport(SwiftData) && !canImport(UIKit)\n  @Attribute(.unique)\n  #endif\n  var a = 1")
      .text
    #expect(text.contains("#if !canImport(SwiftData)\n"))
    #expect(text.contains("#if canImport(UIKit)\n"))
    #expect(text.contains("#error("))
    #expect(!model("  #if FLAG\n  @Attribute(.unique)\n  #endif\n  var a = 1").text.contains("#error("))
  }

  @Test(arguments: [
    "canImport(Charts)", "!canImport(Charts)", "canImport(Charts) && FLAG", "canImport(Foundation, _version: 99)",
  ])
  func unknownConditions(_ condition: String) {
    let attributes = model(
      """
        #if OTHER
        @Attribute(.unique)
        #elseif \(condition)
        @Transient
        #else
        @available(*, deprecated) @Relationship(deleteRule: .cascade)
        #endif
        var a = 1
      """)
    #expect(
      attributes.diagnostics == [
        "5:3 error: @Model cannot know whether '#elseif \(condition)' holds; move @Transient out of #if"
      ])
    let members = model(
      """
        #if \(condition)
        var a = 1
        #Index<A>([\\.a])
        @Transient var b = 1
        static let c = 1
        var d: Int { 1 }
        #endif
        #if \(condition)
        @available(*, deprecated)
        #endif
        var e = 1
      """)
    #expect(
      members.diagnostics == [
        "3:3 error: @Model cannot know whether '#if \(condition)' holds, and a store's rows have one shape; move the "
          + "property out of #if, or mark it @Transient",
        "4:3 error: @Model cannot know whether '#if \(condition)' holds; move #Index out of #if",
      ])
  }

  @Test func withoutTheCompilersWordOnlyModulesAreKnown() {
    let source = "  #if canImport(SwiftData)\n  @Attribute(.unique)\n  #endif\n  var a = 1"
    #expect(model(source, build: nil).text.contains("Attribute(.unique)"))
    #expect(
      model("  #if os(Linux)\n  @Attribute(.unique)\n  #endif\n  var a = 1", build: nil).diagnostics == [
        "3:3 error: @Model cannot know whether '#if os(Linux)' holds; move @Attribute out of #if"
      ])
  }

  @Test func initializersAndOwnTypesOfTheBranchThatIsCompiled() {
    let text = model(
      "  #if FLAG\n  struct Date: Codable {}\n  #else\n  init() {}\n  #endif\n  var day: Date?\n  var a: Int = 1"
    ).text
    #expect(text.contains("scalars: [1]"))
    #expect(text.contains("\n  init() {}\n"))
  }

  // MARK: Constants

  @Test func constantsArePersistedBeforeLanguageMode6() {
    let source = """
        @Attribute(.unique) let code: String
        let id = UUID()
        let kind = "a"
        @Attribute(originalName: "w") let width = 1
        var name = ""
        init(code: String) { self.code = code }
      """
    let expansion = model(source, build: Self.swift5)
    #expect(expansion.diagnostics == [])
    #expect(expansion.text.contains("scalars: [0, 1, 2, 3]"))
    #expect(expansion.text.contains("private final var _code: String\n"))
    #expect(!expansion.text.contains("_kind"))
    #expect(
      model(source).diagnostics == [
        "2:3 warning: @Attribute has no effect on a 'let', which is not stored; remove it",
        "2:23 error: a 'let' is not persisted, so an object read from the store would have no value for 'code'; use "
          + "'var' to store it, or give it a value here, the same in each object",
        "3:3 warning: a 'let' is not persisted, so 'id' is another each time the object is read; use 'var' to store it",
        "5:3 warning: @Attribute has no effect on a 'let', which is not stored; remove it",
      ])
  }

  // MARK: Records and actors

  @Test func recordsReadWhatIsCompiled() {
    let expansion = expand(
      """
      @JSONReadable struct Trip {
        #if FLAG
        var a: Int
        #else
        var a: String
        #endif
        #if FLAG
        @JSONDate(.seconds)
        #endif
        var day: Date
        enum CodingKeys: String, CodingKey {
          #if canImport(SwiftUI)
          case a = "x"
          #else
          case a = "y"
          #endif
          case day
        }
      }
      """, build: Self.linux)
    #expect(expansion.diagnostics == [])
    #expect(expansion.text.contains("var value0: Swift.Optional<Int> = nil"))
    #expect(expansion.text.contains(#"reader.missingKey("y")"#))
    #expect(expansion.text.contains("readDate(.seconds)"))
    #expect(expansion.text.contains("#if canImport(SwiftUI)\n      #error("))
  }

  @Test func actorsHaveTheInitializerOfTheBranchThatIsCompiled() {
    let source = """
      @ModelActor actor Store {
        #if FLAG
        let client: Int
        init(client: Int) {
          self.client = client
        }
        #endif
      }
      """
    #expect(!expand(source, build: Self.linux).text.contains("init(modelContainer"))
    #expect(expand(source, build: Self.swift5).text.contains("init(modelContainer"))
  }
}
