import Testing

/// Whole expansions, as text. They are what the runtime's half of the contract is written against.
@Suite struct ModelExpansionTests {
  @Test func modelWithEachKindOfProperty() {
    let expansion = expand(
      #"""
      @Model class Quake {
        @Attribute(.unique, /* the key */ originalName: "kode") var code: String
        var magnitude: Double = 1  // Richter
        var location: Location
        var note: String?
        @Transient var seen = false
        init(code: String, location: Location) {
          self.code = code
          self.location = location
        }
      }
      """#)
    #expect(expansion.diagnostics == [])
    #expect(expansion.text == Expected.quake)
  }

  @Test func finalModelWithConstraintsAndAnInferredType() {
    let expansion = expand(
      #"""
      enum SchemaV1 {
        @Model public final class Trip {
          #Unique<Trip>([\.code])
          var code = ""
          var state = State.draft
          @Relationship(deleteRule: .cascade) var stops: [Stop] = []
        }
      }
      """#)
    #expect(expansion.diagnostics == [])
    #expect(expansion.text == Expected.trip)
  }

  @Test func openModelThatMayInherit() {
    // Whether the name is a protocol's or a class's, the text doesn't say: accessors ask what the members know.
    let text = expand("@Model open class Trip: Named {\n  var name = \"\"\n}").text
    #expect(text.contains("private static var _$offset: LarderData._RootOffset { LarderData._RootOffset() }"))
    #expect(text.contains("guard _$beginChange(_name, newValue, Self._$offset.index(0)) else { return }"))
    #expect(text.contains("open class var _$layout: LarderData._ModelLayout { _$ownLayout }"))
    #expect(text.contains("open func _$bind("))
    #expect(text.contains("open class var schemaMetadata"))
    // What protocols everybody knows are, costs nothing.
    #expect(!expand("@Model class Trip: Identifiable {\n  var name = \"\"\n}").text.contains("_$offset"))
  }

  @Test func subclass() {
    let expansion = expand(
      #"""
      @Model class Tree: Plant {
        var height = 0.0
        var bark: Bark
        init(bark: Bark) {
          self.bark = bark
          super.init()
        }
      }
      """#, inherited: true)
    #expect(expansion.diagnostics == [])
    #expect(expansion.text == Expected.tree)
  }

  @Test(arguments: [
    "Plant & Named", "Identifiable & Garden.Plant & Named", "Plant /* of ours */ & Named & Codable, Other",
  ])
  func superclassInAComposition(_ inherited: String) {
    let source = "@Model class Tree: \(inherited) {\n  var height = 0.0\n  init(x: Int) { super.init() }\n}"
    let expansion = expand(source, inherited: true)
    let superclass = inherited.contains("Garden") ? "Garden.Plant" : "Plant"
    #expect(expansion.diagnostics == [])
    #expect(expansion.text.contains("_$offset = LarderData._SubclassOffset(\(superclass).self)\n"))
    #expect(expansion.text.contains("{ \(superclass)._$keyPaths(model) + [\\_M.height] }"))
    #expect(expansion.text.contains("any LarderData.BackingData<\(superclass).Root>"))
    // Every role says the same of it.
    #expect(expansion.text.contains("guard _$beginChange(_height, newValue, Self._$offset.index(0)) else { return }"))
  }

  @Test func compositionThatMayHoldASuperclass() {
    let text = expand("@Model class Trip: Identifiable & Named {\n  var name = \"\"\n}").text
    #expect(text.contains("private static var _$offset: LarderData._RootOffset { LarderData._RootOffset() }"))
    #expect(text.contains("guard _$beginChange(_name, newValue, Self._$offset.index(0)) else { return }"))
    #expect(!expand("@Model class Trip: Identifiable & Codable {\n  var name = \"\"\n}").text.contains("_$offset"))
    // What is written is known, also there: nothing is inherited.
    let written = expand("@Model class Trip: Named & PersistentModel {\n  var name = \"\"\n}", inherited: true).text
    #expect(!written.contains("_SubclassOffset"))
  }

  @Test func modelWithoutProperties() {
    let expansion = expand("@Model class Marker {\n}")
    #expect(expansion.text == Expected.marker)
  }
}
