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

  @Test func rightCodeOfManyShapes() throws {
    try expect(manyShapes, [])
    #expect(
      try Compiler().diagnostics(manyShapes, flags: ["-swift-version", "5", "-default-isolation", "MainActor"]) == [])
  }

  @Test func superclassInAComposition() throws {
    try expect(
      """
      protocol Marked {}
      @Model class Trip {
        var name: String
        init(name: String) { self.name = name }
      }
      @Model class Hike: Trip & Marked {
        var height = 0.0
        override init(name: String) { super.init(name: name) }
      }
      """, [])
  }

  @Test func privateModelInAnotherType() throws {
    try expect(
      "enum V1 {\n  @Model private class Trip {\n    var name = \"\"\n  }\n}",
      ["3:10: error: a model inside another type cannot be 'private'"])
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
      "class Trip {\n  init(a: Int) {}\n}\n@Model class Hike: Trip {\n  var height = 0.0\n  init() { super.init(a: 1) }\n}",
      ["5:20: error: 'Trip' is no model, and a model can only inherit from one"])
  }

  @Test func subclassWithoutAnInitializer() throws {
    try expect(
      "@Model class Trip {\n  var name = \"\"\n}\n@Model class Hike: Trip {\n  var height = 0.0\n}",
      ["5:14: error: @Model requires an initializer be provided for 'Hike'"])
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

/// Models of every access, place and kind of property, with names that generated code must not stumble over.
private let manyShapes = #"""
  enum V1 {
    @Model fileprivate class Hidden {
      var a = 0
      init() {}
    }
    fileprivate static func value() -> Int { Hidden().a }
    nonisolated struct Deep {
      @Model final class Deeper {
        var x = 1.5
        var kind: V1.Deep.Kind = .a
      }
      nonisolated enum Kind: Int, Codable { case a }
    }
  }
  extension V1.Deep {
    @Model class InExtension { var parent: String? }
  }
  @Model class `Type` {
    var row = 1
    var mask = ""
    var binder = 2.0
    var value = Date()
    var newValue = 1
    var initialValue: String? = nil
    var keyPath = 0
    var header = ""
    var `in`: [String] = []
  }
  @Model public class Open {
    public private(set) var name: String
    fileprivate var other: Int = 0
    public internal(set) var start: Date?
    public init(name: String) { self.name = name }
    public convenience init() { self.init(name: "") }
    deinit {}
  }
  @Model final class Coded: Codable, CustomStringConvertible {
    var a: Int
    var description: String { "\(a)" }
    enum CodingKeys: CodingKey { case a }
    init(a: Int) { self.a = a }
    required init(from decoder: any Decoder) throws {
      a = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .a)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(a, forKey: .a)
    }
  }
  nonisolated protocol Named: PersistentModel { var name: String { get set } }
  @Model class Place: Named {
    var name: String = ""
    var title: String { get { name } set { name = newValue } }
    var money: Money?
  }
  @Model class Money {
    #Unique<Money>([\.a, \.b])
    #Index<Money>(.binary([\.a]))
    var a: Decimal = 0
    var b: Decimal? = 1.5
    var c: Float = 0.5
    var d: UInt8 = 3
    var e: Int64!
    var data = Data()
    var url: URL?
    var counts: [String: Int] = [:]
    var set: Set<Int> = []
    var range: Range<Int>? = nil
    @Attribute(.externalStorage) var big: Data?
    @Attribute(.unique, originalName: "x") var k = UUID()
    @Relationship(deleteRule: .cascade, inverse: \Place.money) var places: [Place] = []
    @Relationship var one: Place?
  }
  func use() throws {
    let container = try ModelContainer(for: V1.Deep.Deeper.self, `Type`.self, Open.self, Coded.self)
    let context = ModelContext(container)
    context.insert(Open())
    let type = `Type`()
    type.row += 1
    type.in.append("x")
    _ = try context.fetch(FetchDescriptor<Coded>(predicate: #Predicate { $0.a > 1 }))
    _ = V1.value()
  }
  """#
