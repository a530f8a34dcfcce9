import Testing

/// What a user reads after a mistake: the place, the severity and the sentence, and what the fix-it makes of the file.
@Suite struct DiagnosticTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let source: String
    let diagnostics: [String]
    var fixed: [String] = []
    var testDescription: String { name }
  }

  @Test(arguments: models + properties + markers + constraints + actors)
  func diagnostics(_ testCase: Case) {
    let expansion = expand(testCase.source)
    #expect(expansion.diagnostics == testCase.diagnostics)
    #expect(expansion.fixed == testCase.fixed)
  }

  @Test(arguments: ["struct", "enum", "actor", "protocol"])
  func whatIsNoClassGetsNothing(_ keyword: String) {
    let expansion = expand("@Model \(keyword) Trip {\n  @Transient var name = \"\"\n}")
    #expect(!expansion.text.contains("_$"))
    #expect(!expansion.text.contains("extension"))
  }

  @Test func subclassWithoutAnInitializer() {
    // The compiler asks for no conformance, since the superclass has it.
    let expansion = expand("@Model class Hike: Trip {\n  var height = 0.0\n}", inherited: true)
    #expect(
      expansion.diagnostics == [
        "1:14 error: @Model requires an initializer be provided for 'Hike': those of 'Trip' are not inherited, because "
          + "@Model itself adds some; write one that calls super.init"
      ])
    #expect(!expansion.text.contains("extension"))
  }

  @Test func subclassThatStoresAnInheritedPropertyAgain() {
    let source =
      "@Model class Hike: Trip {\n  override var name: String { didSet {} }\n  init() { super.init(a: 1) }\n}"
    #expect(
      expand(source, inherited: true).diagnostics == [
        "2:3 error: a persisted property has one column, so it cannot be stored again in a subclass; remove it, or give "
          + "it a getter and a setter that use super's"
      ])
  }

  @Test func modelThatConformsToAProtocol() {
    #expect(expand("@Model class Hike: Syncable {\n  var height = 0.0\n}").diagnostics == [])
  }
}

// MARK: - The model as a whole

extension DiagnosticTests {
  static let models: [Case] = [
    Case(
      name: "struct", source: "@Model public struct Trip {\n  var name: String\n}",
      diagnostics: [
        "1:15 error: @Model cannot be applied to a struct: an object has an identity that a copy would lose; a struct "
          + "that conforms to Codable can be the type of a model's property"
      ],
      fixed: ["@Model public class Trip {\n  var name: String\n}"]),
    Case(
      name: "enum", source: "@Model enum Kind { case a }",
      diagnostics: [
        "1:8 error: @Model cannot be applied to an enum: an enum that conforms to Codable can be the type of a "
          + "model's property"
      ]),
    Case(
      name: "actor", source: "@Model actor Store {}",
      diagnostics: [
        "1:8 error: @Model cannot be applied to an actor: its objects belong to the context that they live in, which "
          + "guards them; use @ModelActor for an actor that works with models"
      ],
      fixed: ["@Model class Store {}"]),
    Case(
      name: "generic class", source: "@Model class Box<T> {\n  var name = \"\"\n}",
      diagnostics: [
        "1:17 error: a model cannot be generic: an entity is one table, whose columns have one type; use a concrete "
          + "class"
      ]),
    Case(
      name: "class in a generic type", source: "struct Outer<T> {\n  @Model class Trip { var name = \"\" }\n}",
      diagnostics: [
        "2:16 error: a model cannot be generic: an entity is one table, whose columns have one type; use a concrete "
          + "class"
      ]),
    Case(
      name: "private in another type", source: "enum V1 {\n  @Model private class Trip { var name = \"\" }\n}",
      diagnostics: [
        "2:10 error: a model inside another type cannot be 'private': its conformance is written outside, where it "
          + "would not be seen; use 'fileprivate'"
      ],
      fixed: ["enum V1 {\n  @Model fileprivate class Trip { var name = \"\" }\n}"]),
    Case(name: "private in a file", source: "@Model private class Trip { var name = \"\" }", diagnostics: []),
    Case(
      name: "no initializer",
      source: "@Model class Trip {\n  var name: String\n  var place: Place\n  var note: String?\n}",
      diagnostics: ["1:14 error: @Model requires an initializer be provided for 'Trip'"],
      fixed: [
        """
        @Model class Trip {
          var name: String
          var place: Place
          var note: String?

          init(name: String, place: Place) {
            self.name = name
            self.place = place
          }
        }
        """
      ]),
    Case(
      name: "override", source: "@Model class Hike: Trip {\n  override func go() {}\n}",
      diagnostics: [
        "1:20 error: 'Trip' is no model, and a model can only inherit from one: objects are made from rows, which have "
          + "no values for it; mark it @Model too, or share code through a protocol"
      ]),
    Case(
      name: "super", source: "@Model class Hike: Trip {\n  init() { super.init(a: 1) }\n}",
      diagnostics: [
        "1:20 error: 'Trip' is no model, and a model can only inherit from one: objects are made from rows, which have "
          + "no values for it; mark it @Model too, or share code through a protocol"
      ]),
  ]
}

// MARK: - Properties

extension DiagnosticTests {
  private static func property(
    _ name: String, _ declaration: String, _ diagnostics: [String], fixed: String? = nil
  ) -> Case {
    Case(
      name: name, source: "@Model class Trip {\n  \(declaration)\n}", diagnostics: diagnostics,
      fixed: fixed.map { ["@Model class Trip {\n  \($0)\n}"] } ?? [])
  }

  static let properties: [Case] = [
    property(
      "nil without a type", "var note = nil",
      ["2:7 error: the type of 'note' cannot be inferred; add a type annotation"], fixed: "var note: <#Type#> = nil"),
    property(
      "empty array without a type", "var tags = []",
      ["2:7 error: the type of 'tags' cannot be inferred; add a type annotation"], fixed: "var tags: <#Type#> = []"),
    property(
      "implicit member without a type", "var state = .draft",
      ["2:7 error: the type of 'state' cannot be inferred; add a type annotation"],
      fixed: "var state: <#Type#> = .draft"),
    property(
      "neither type nor value", "var name",
      ["2:7 error: the type of 'name' cannot be inferred; add a type annotation"], fixed: "var name: <#Type#>"),
    property(
      "constant", "let name: String",
      [
        "2:3 error: a 'let' is not persisted, so an object read from the store would have no value for 'name'; use "
          + "'var' to store it, or give it a value here, the same in each object"
      ], fixed: "var name: String"),
    property(
      "constant that changes", "let id: UUID = Foundation.UUID()",
      [
        "2:3 warning: a 'let' is not persisted, so 'id' is another each time the object is read; use 'var' to store it"
      ], fixed: "var id: UUID = Foundation.UUID()"),
    property(
      "constant of the time", "let day = Calendar.current.startOfDay(for: .now)",
      [
        "2:3 warning: a 'let' is not persisted, so 'day' is another each time the object is read; use 'var' to store it"
      ], fixed: "var day = Calendar.current.startOfDay(for: .now)"),
    property(
      "constant of a type that is new", "let id: Foundation.UUID = .init()",
      [
        "2:3 warning: a 'let' is not persisted, so 'id' is another each time the object is read; use 'var' to store it"
      ], fixed: "var id: Foundation.UUID = .init()"),
    property(
      "random constant", "let size = { Int.random(in: 1...6) }()",
      [
        "2:3 warning: a 'let' is not persisted, so 'size' is another each time the object is read; use 'var' to store "
          + "it"
      ], fixed: "var size = { Int.random(in: 1...6) }()"),
    property("constant that is the same", "let formats = Formats(now: 1, random: UUID.self)", []),
    property("constant closure", "let make = { UUID() }", []),
    property("constant of a name", "let mode = Mode.random", []),
    property("constant key path", "let now = \\Player.now", []),
    property(
      "lazy", "lazy var size = 5",
      ["2:3 error: a 'lazy' property cannot be persisted; remove 'lazy', or mark the property @Transient"],
      fixed: "@Transient lazy var size = 5"),
    property(
      "weak", "weak var parent: Trip?",
      [
        "2:3 warning: 'weak' has no effect on a persisted property, whose object the context lets go of by itself; "
          + "remove it"
      ], fixed: "var parent: Trip?"),
    property(
      "unowned", "unowned(unsafe) var parent: Trip?",
      [
        "2:3 warning: 'unowned' has no effect on a persisted property, whose object the context lets go of by itself; "
          + "remove it"
      ], fixed: "var parent: Trip?"),
    property(
      "tuple pattern", "var (a, b) = (1, 2)",
      [
        "2:7 error: a persisted property is declared by its name alone, not by a pattern; write one 'var' for each "
          + "value"
      ]),
    property(
      "several bindings", "private var a: Int = 1, b: Int = 2",
      ["2:15 error: a persisted property needs a 'var' of its own; write one declaration for each"],
      fixed: "private var a: Int = 1\n  private var b: Int = 2"),
    property(
      "didSet", "var name = \"\" { didSet { print(name) } }",
      [
        "2:19 warning: 'didSet' of a persisted property is dropped and never runs; do its work in a method that sets "
          + "'name', or mark the property @Transient"
      ]),
    property(
      "willSet", "var name = \"\" { willSet { print(name) } }",
      [
        "2:19 warning: 'willSet' of a persisted property is dropped and never runs; do its work in a method that "
          + "sets 'name', or mark the property @Transient"
      ]),
    property("transformable", "@Attribute(.transformable(by: \"Color\")) var color: Data = Data()", []),
    property(
      "ephemeral without a value", "@Attribute(.ephemeral) var seen: Int\n  init() { seen = 1 }",
      [
        "2:30 error: an .ephemeral property is not in the store, so 'seen' needs a value to begin with when an object "
          + "is read; give it one here, or make it optional"
      ], fixed: "@Attribute(.ephemeral) var seen: Int = <#value#>\n  init() { seen = 1 }"),
    property("ephemeral optional", "@Attribute(.ephemeral) var seen: Int?", []),
    property(
      "ephemeral and unique", "@Attribute(.ephemeral, .unique) var seen: Int?",
      [
        "2:26 error: an .ephemeral value is not in the store, so '.ephemeral' and '.unique' exclude each other; remove "
          + "one of them"
      ]),
    property(
      "external and unique", "@Attribute(.unique, Schema.Attribute.Option.externalStorage) var bytes: Data?",
      [
        "2:14 error: an .externalStorage value is not in the row, so '.externalStorage' and '.unique' exclude each "
          + "other; remove one of them"
      ]),
    property(
      "ephemeral and external", "@Attribute(.externalStorage, .ephemeral) var bytes: Data?",
      [
        "2:14 error: an .ephemeral value is not in the store, so '.ephemeral' and '.externalStorage' exclude each "
          + "other; remove one of them"
      ]),
    property(
      "hidden name", "var isDeleted = false",
      ["2:7 warning: 'isDeleted' hides the property of that name that every model has; rename it to keep both"]),
    property(
      "generated name", "var persistentBackingData = 1",
      ["2:7 error: @Model itself declares 'persistentBackingData'; rename this property"]),
    property(
      "name of storage", "var name = \"\"\n  private var _name: Int { 1 }",
      ["3:15 error: '_name' is the name of the storage that @Model gives to 'name'; rename one of them"]),
    property(
      "names that differ by case", "var url = \"\"\n  var URL = \"\"",
      ["3:7 error: 'URL' and 'url' differ only by case, and SQLite's columns ignore it; rename one of them"]),
    property(
      "property in #if", "#if DEBUG\n  var trace = \"\"\n  #endif",
      [
        "3:3 error: @Model cannot know whether '#if DEBUG' holds, and a store's rows have one shape; move the property "
          + "out of #if, or mark it @Transient"
      ], fixed: "#if DEBUG\n  @Transient var trace = \"\"\n  #endif"),
    property("transient property in #if", "#if DEBUG\n  @Transient var trace = \"\"\n  #endif", []),
    property("own id", "@Attribute(.unique) var id: UUID = UUID()", []),
    property("description", "var description = \"\"", []),
    property("constant with a value", "let kind = 1", []),
    property("lazy but transient", "@Transient lazy var size = 5", []),
    property("type property", "static var shared: Trip?", []),
  ]
}

// MARK: - Markers

extension DiagnosticTests {
  static let markers: [Case] = [
    property(
      "@Transient without a value", "@Transient var seen: Bool",
      [
        "2:18 error: a @Transient property is not in the store, so 'seen' needs a value to begin with when an object "
          + "is read; give it one here, or make it optional"
      ], fixed: "@Transient var seen: Bool = <#value#>"),
    property("@Transient optional", "@Transient var seen: Bool?", []),
    property(
      "@Attribute on a computed property", "@Attribute(.unique) var name: String { \"\" }",
      ["2:3 warning: @Attribute has no effect on a computed property, which is not stored; remove it"],
      fixed: "var name: String { \"\" }"),
    property(
      "@Attribute on a let", "@Attribute(.unique) let name = \"\"",
      ["2:3 warning: @Attribute has no effect on a 'let', which is not stored; remove it"], fixed: "let name = \"\""),
    property(
      "@Attribute on a transient property", "@Attribute(.unique) @Transient var name = \"\"",
      ["2:3 warning: @Attribute has no effect on a @Transient property, which is not stored; remove it"],
      fixed: "@Transient var name = \"\""),
    property(
      "@Attribute on a function", "@Attribute(.unique) func name() {}",
      ["2:3 error: @Attribute can only be applied to a stored property of a @Model class"]),
    // Without @Model, since expanding both here would move the places of what is told about the second.
    Case(
      name: "@Attribute and @Relationship",
      source: "class Trip {\n  @Attribute(.unique) @Relationship var owner: Owner?\n}",
      diagnostics: [
        "2:3 error: a property is either an @Attribute or a @Relationship; remove the one that it is not"
      ],
      fixed: ["class Trip {\n  @Relationship var owner: Owner?\n}"]),
    Case(
      name: "@Relationship on a scalar", source: "class Trip {\n  @Relationship var name: String? = nil\n}",
      diagnostics: [
        "2:27 warning: @Relationship has no effect on 'String?', which is a value and no model; use @Attribute, or "
          + "nothing at all"
      ],
      fixed: ["class Trip {\n  var name: String? = nil\n}"]),
    Case(
      name: "@Attribute in a struct", source: "struct Trip {\n  @Attribute(.unique) var name = \"\"\n}",
      diagnostics: ["2:3 warning: @Attribute has no effect on a property of a struct, which is not stored; remove it"],
      fixed: ["struct Trip {\n  var name = \"\"\n}"]),
  ]
}

// MARK: - Constraints and actors

extension DiagnosticTests {
  static let constraints: [Case] = [
    property(
      "two #Unique", "var a = 1\n  #Unique<Trip>([\\.a])\n  #Unique<Trip>([\\.a])",
      ["4:3 error: a model has one #Unique; write all its constraints there: #Unique<Model>([\\.a], [\\.b, \\.c])"]),
    property(
      "#Unique in #if", "#if DEBUG\n  #Unique<Trip>([\\.a])\n  #endif",
      ["3:3 error: @Model cannot know whether '#if DEBUG' holds; move #Unique out of #if"]),
    property(
      "#Index of nothing", "#Index<Trip>()",
      ["2:4 error: #Index names no property; give it lists of key paths: #Index<Model>([\\.a], [\\.b, \\.c])"]),
    Case(
      name: "#Unique of another model", source: "class Trip {\n  #Unique<Stop>([\\.a])\n}",
      diagnostics: [
        "2:11 error: #Unique<Stop> stands in Trip, whose properties it is about; write #Unique<Trip>, or move it into "
          + "Stop"
      ], fixed: ["class Trip {\n  #Unique<Trip>([\\.a])\n}"]),
    Case(
      name: "#Index of the same model in another schema",
      source: "enum V2 {\n  class Trip {\n    #Index<V1.Trip>([\\.a])\n  }\n}",
      diagnostics: [
        "3:12 error: #Index<V1.Trip> stands in Trip, whose properties it is about; write #Index<Trip>, or move it into "
          + "V1.Trip"
      ], fixed: ["enum V2 {\n  class Trip {\n    #Index<Trip>([\\.a])\n  }\n}"]),
    Case(
      name: "#Unique of the model by its whole name",
      source: "extension App.V1 {\n  class Trip {\n    #Unique<Module.App.V1.Trip>([\\.a])\n  }\n}",
      diagnostics: []),
    Case(
      name: "#Unique outside", source: "struct Trip {\n  #Unique<Trip>([\\.a])\n}",
      diagnostics: ["2:3 error: #Unique belongs in the body of a @Model class"]),
  ]

  static let actors: [Case] = [
    Case(
      name: "@ModelActor on a class", source: "@ModelActor final class Store {}",
      diagnostics: [
        "1:19 error: @ModelActor can only be applied to an actor, whose isolation guards the model context; this is "
          + "declared as 'class'"
      ], fixed: ["@ModelActor final actor Store {}"]),
    Case(
      name: "@ModelActor on an enum", source: "@ModelActor enum Store {}",
      diagnostics: [
        "1:13 error: @ModelActor can only be applied to an actor, whose isolation guards the model context; this is "
          + "declared as 'enum'"
      ]),
    Case(
      name: "actor with a property without value", source: "@ModelActor actor Store {\n  private let client: Client\n}",
      diagnostics: [
        "2:15 error: 'client' has no value in the initializer that @ModelActor generates; give it one here, or write "
          + "an initializer that also assigns self.modelContainer and self.modelExecutor"
      ]),
    Case(
      name: "@_PersistedProperty by hand", source: "class Trip {\n  @_PersistedProperty var name: String\n}",
      diagnostics: ["2:3 error: @_PersistedProperty belongs to @Model, which adds it where it is due"]),
    Case(
      name: "@_TransformablePersistedProperty by hand",
      source: "class Trip {\n  @_TransformablePersistedProperty var name: String\n}",
      diagnostics: ["2:3 error: @_TransformablePersistedProperty belongs to @Model, which adds it where it is due"]),
  ]
}
