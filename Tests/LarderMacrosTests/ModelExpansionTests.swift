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

  @Test func modelWithoutProperties() {
    let expansion = expand("@Model class Marker {\n}")
    #expect(expansion.text == Expected.marker)
  }
}
