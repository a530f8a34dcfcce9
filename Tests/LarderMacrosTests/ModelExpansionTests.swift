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
}
