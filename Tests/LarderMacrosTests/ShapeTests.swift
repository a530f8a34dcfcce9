import Testing

/// Parts of expansions that depend on how the class is declared.
@Suite struct ShapeTests {
  @Test func reservedWordsAndUnicode() {
    let text = expand("@Model class Tür {\n  var `default`: Int = 1\n  var größe: Double?\n}").text
    #expect(text.contains("private final var _default: Int\n"))
    #expect(text.contains("return _default\n"))
    #expect(text.contains(#"PropertyMetadata(name: "default", keypath: \Tür.`default`, defaultValue: (1) as Int)"#))
    #expect(text.contains("private final var _größe: Optional<Double>\n"))
    #expect(text.contains("extension Tür: LarderData.PersistentModel"))
  }

  @Test func rawIdentifier() {
    let text = expand("@Model class A {\n  var `due date`: Int = 1\n}").text
    #expect(text.contains("private final var `_due date`: Int\n"))
    #expect(text.contains(#"name: "due date", keypath: \A.`due date`"#))
  }

  @Test func finalClass() {
    let text = expand("@Model final class A {\n  var a = 1\n}").text
    #expect(text.contains("public init(_$row row"))
    #expect(text.contains("public static var schemaMetadata"))
    #expect(!text.contains("required"))
  }

  @Test func privateClassOfAFile() {
    let text = expand("@Model private class A {\n  var a = 1\n}").text
    #expect(text.contains("private final var _a: Int\n"))
    #expect(text.contains("extension A: LarderData.PersistentModel"))
  }

  @Test func optionsChooseWhatStandsBesideTheStorage() {
    let text = expand(
      """
      @Model class A {
        @Attribute(.externalStorage, originalName: "x") var a: Data?
        @Attribute(.ephemeral) var b = 1
        @Attribute(Schema.Attribute.Option.ephemeral) var c: Int?
        @Attribute(.transformable(by: "T")) var d: String = ""
      }
      """
    ).text
    #expect(text.contains("_ModelLayout(for: A.self, scalars: [], external: [0], ephemeral: [1, 2])"))
    #expect(text.contains("private final var a_$key = LarderData._ExternalKey()\n"))
    #expect(text.contains("private final var b_$key = LarderData._EphemeralKey()\n"))
    #expect(text.contains("private final var d_$key = LarderData._TransformedKey()\n"))
    #expect(
      text.contains(
        "    _a = .init()\n    row.restore(&_a.stored.value, &a_$key, 0)\n    _c = .init(nil)\n    _d = .init()\n"))
  }

  @Test func nestedInAVersionedSchema() {
    let text = expand("enum V1: VersionedSchema {\n  @Model class Trip {\n    var a = 1\n  }\n}").text
    #expect(text.contains("extension V1.Trip: LarderData.PersistentModel"))
    #expect(text.contains("LarderData._ModelLayout(for: Trip.self, scalars: [0])"))
  }

  @Test func emptyInitializerWhereSwiftWouldHaveGivenOne() {
    #expect(expand("@Model class A {\n  var a = 1\n  var b: Int?\n}").text.contains("\n  init() {}"))
    #expect(
      expand("@Model class A {\n  var a = 1\n  convenience init(x: Int) { self.init() }\n}").text.contains("init() {}"))
    #expect(!expand("@Model class A {\n  var a = 1\n  init(x: Int) {}\n}").text.contains("init() {}"))
  }

  @Test func propertiesFromTheSixtyFourthOnShareABit() {
    let properties = (0..<66).map { "  var p\($0) = 0\n" }.joined()
    let text = expand("@Model class A {\n\(properties)}").text
    #expect(text.contains("if LarderData._$contains(mask, 0x4000000000000000) { binder.bind(_p62) }"))
    for index in 63..<66 {
      #expect(text.contains("if LarderData._$contains(mask, 0x8000000000000000) { binder.bind(_p\(index)) }"))
      #expect(text.contains("guard _$beginChange(_p\(index), newValue, \(index)) else { return }"))
    }
  }

  @Test func typeThatOnlyTheCompilerKnows() {
    let text = expand("@Model class A {\n  var state = State.draft  // at first\n}").text
    #expect(text.contains("private final var _state = LarderData._ValueStorage(State.draft)\n"))
    #expect(text.contains("private final var state_$key = LarderData._$key(of: State.draft)\n"))
    #expect(text.contains("row.restore(&_state.stored.value, &state_$key, 0)\n"))
    #expect(text.contains("var value = _state.stored.value, key = state_$key\n"))
    #expect(text.contains("defaultValue: State.draft)"))
    #expect(text.components(separatedBy: "// at first").count == 2)
  }

  @Test func commentsStayWhereTheyAre() {
    let text = expand(
      """
      @Model class A {
        /// The secret.
        @Attribute(
          .unique,  // secret
          originalName: "b"  /* secret */
        ) var tags: [String /* secret */: Int] = [  // secret
          "a": 1
        ]
      }
      """
    ).text
    // In the documentation and in the annotation, and in no copy.
    #expect(text.lowercased().components(separatedBy: "secret").count - 1 == 2)
  }

  @Test func constraints() {
    let text = expand(
      "@Model class A {\n  #Unique<A>([\\.a], [\\.a, \\.b])\n  #Index<A>(.binary([\\.b]))\n  var a = 1\n  var b = 2\n}")
    #expect(text.diagnostics == [])
    #expect(text.text.contains("metadata: LarderData.Schema.Unique<A>([\\.a], [\\.a, \\.b])),"))
    #expect(text.text.contains("metadata: LarderData.Schema.Index<A>(.binary([\\.b]))),"))
    #expect(
      text.text.contains(
        #"PropertyMetadata(name: "SwiftData.Schema.Unique", keypath: \LarderData.Schema.encodingVersion"#))
  }

  @Test func relationship() {
    let text = expand("@Model class A {\n  @Relationship(deleteRule: .cascade, inverse: \\B.a) var bs: [B] = []\n}")
      .text
    #expect(
      text.contains(
        "defaultValue: ([]) as [B], metadata: LarderData.Schema.Relationship(deleteRule: .cascade, inverse: \\B.a))"))
    #expect(text.contains("scalars: []"))
  }
}

extension String {
  fileprivate func components(separatedBy separator: String) -> [Substring] {
    split(separator: separator, omittingEmptySubsequences: false)
  }
}
