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
    #expect(text.contains("private static var _$base: LarderData.RootBase { LarderData.RootBase() }"))
    #expect(text.contains("guard _$change(_name, newValue, Self._$base.place(0)) else { return }"))
    #expect(text.contains("open class var _$layout: LarderData.ModelLayout { _$own }"))
    #expect(text.contains("open func _$bind("))
    #expect(text.contains("open class var schemaMetadata"))
    // What protocols everybody knows are, costs nothing.
    #expect(!expand("@Model class Trip: Identifiable {\n  var name = \"\"\n}").text.contains("_$base"))
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

  @Test func modelWithoutProperties() {
    let expansion = expand("@Model class Marker {\n}")
    #expect(expansion.text == Expected.marker)
  }
}
