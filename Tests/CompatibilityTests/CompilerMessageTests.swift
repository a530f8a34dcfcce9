import Testing

/// What the compiler prints for small wrong files: the macros' own sentences, at the user's own lines, and nothing
/// about generated code beside them.
@Suite struct CompilerMessageTests {
  private func expect(_ source: String, _ messages: [String], location: SourceLocation = #_sourceLocation) throws {
    let printed = try Compiler().diagnostics(source)
    #expect(printed.count == messages.count, "\(printed)", sourceLocation: location)
    for (line, message) in zip(printed, messages) {
      #expect(line.hasPrefix(message), sourceLocation: location)
    }
  }

  @Test func rightCode() throws {
    try expect("@Model class Trip {\n  var name = \"\"\n  var start: Date?\n}", [])
  }

  @Test func modelStruct() throws {
    try expect("@Model struct Trip {\n  var name = \"\"\n}", ["2:8: error: @Model cannot be applied to a struct"])
  }

  @Test func noInitializer() throws {
    try expect(
      "@Model class Trip {\n  var name: String\n}",
      ["2:14: error: @Model requires an initializer be provided for 'Trip'"])
  }

  @Test func forgottenProperty() throws {
    try expect(
      "struct Place: Codable {}\n@Model class Trip {\n  var place: Place\n  init() {}\n}",
      ["5:11: error: return from initializer without initializing all stored properties"])
  }

  @Test func inheritance() throws {
    try expect(
      "@Model class Trip {\n  var name = \"\"\n}\n@Model class Hike: Trip {\n  var height = 0.0\n}",
      ["5:20: error: inheritance between models is not there yet"])
  }

  @Test func observer() throws {
    try expect(
      "@Model class Trip {\n  var name = \"\" { didSet {} }\n}",
      ["3:19: warning: 'didSet' of a persisted property is dropped and never runs"])
  }

  @Test func severalBindings() throws {
    try expect(
      "@Model class Trip {\n  var a: Int = 1, b: Int = 2\n}",
      ["3:7: error: a persisted property needs a 'var' of its own"])
  }

  @Test func transientWithoutValue() throws {
    try expect(
      "@Model class Trip {\n  var a = 1\n  @Transient var b: Int\n  init(b: Int) { self.b = b }\n}",
      ["4:18: error: a @Transient property is not in the store"])
  }

  @Test func modelActorClass() throws {
    try expect("@ModelActor class Store {}", ["2:13: error: @ModelActor can only be applied to an actor"])
  }

  @Test func actorWithoutInitializer() throws {
    try expect(
      "@ModelActor actor Store {\n  let name: String\n}", ["3:7: error: 'name' has no value in the initializer"])
  }

  @Test func modelIsNotSendable() throws {
    try expect(
      "@Model class Trip {\n  var a = 1\n}\nfunc send<T: Sendable>(_: T) {}\nfunc go() { send(Trip()) }",
      ["6:13: error: conformance of 'Trip' to 'Sendable' is unavailable: PersistentModels are not Sendable"])
  }

  /// The compiler points into the expansion and says where that is; the sentence is ours, and so is the line.
  @Test func typeThatCannotBeStored() throws {
    let printed = try Compiler().diagnostics("struct Mark {}\n@Model class Trip {\n  var mark: Mark? = nil\n}")
    #expect(!printed.isEmpty)
    for line in printed {
      #expect(line.contains("a persisted property's type must be Codable or a model"))
    }
  }
}
