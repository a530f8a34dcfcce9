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

  // MARK: Conditions

  /// Each of these would be an error, or a warning, if macro and compiler disagreed about a branch.
  @Test(arguments: ["5", "6"]) func branchesOfConditions(_ mode: String) throws {
    let source = """
      #if canImport(SwiftData)
        @Model
      #endif
      final class Meter {
        #if canImport(SwiftData) && !os(macOS)
          #Unique<Meter>([\\.code])
        #else
          #Unique<Meter>([\\.missing])
        #endif
        #if swift(>=6)
          var code: Int
        #else
          var code: String
        #endif
        #if canImport(UIKit)
          var image: UIImage?
        #elseif FLAG
          var image: Data?
        #endif
        #if canImport(SwiftData)
          @Attribute(originalName: "title")
        #endif
        var name = ""
        #if FLAG
          @Transient
        #endif
        var view: Any? = nil
        #if swift(>=6)
          init(code: Int) { self.code = code }
        #else
          init(code: String) { self.code = code }
        #endif
      }
      func use(_ meter: Meter) { meter.image = Data() }
      """
    #expect(try Compiler().diagnostics(source, flags: ["-swift-version", mode, "-D", "FLAG"]) == [])
  }

  @Test func unknownCondition() throws {
    try expect(
      "@Model final class Meter {\n  #if canImport(Charts2)\n  @Attribute(.unique)\n  #endif\n  var code = 1\n}",
      ["4:3: error: @Model cannot know whether '#if canImport(Charts2)' holds; move @Attribute out of #if"])
  }

  // MARK: Operators

  @Test func operatorsThatProtocolsAskFor() throws {
    try expect(
      """
      infix operator <+>
      protocol Combined {
        static func + (left: Self, right: Self) -> Self
        static prefix func - (one: Self) -> Self
        static func <+> (left: Self, right: Self) -> Bool
      }
      protocol Matched { static func ~= (left: Self, right: Int) -> Bool }
      @Model class Book: Comparable, Combined {
        var title = 0
        var tags: [String] = []
        required init(_ title: Int) { self.title = title }
        static func < (left: Book, right: Book) -> Bool { left.title < right.title }
        static func + (left: Book, right: Book) -> Self { Self(left.title + right.title) }
        static prefix func - (one: Book) -> Self { Self(-one.title) }
        static func <+> (left: Book, right: Book) -> Bool { true }
        static func == (left: Book, right: Book) -> Bool { left.title == right.title }
      }
      @Model class Atlas: Book, Matched {
        var maps = 1
        required init(_ title: Int) { super.init(title) }
        static func ~= (left: Atlas, right: Int) -> Bool { left.maps == right }
      }
      @Model final class Shelf { var name = "" }
      extension Shelf {
        static func == (left: Shelf, right: Shelf) -> Bool { left.name == right.name }
        static func += (left: inout Shelf, right: String) { left.name += right }
      }
      """, [])
  }

  // MARK: Constants and references

  @Test func constantBeforeLanguageMode6() throws {
    let source = "@Model final class Stamp {\n  let code: String\n  init(code: String) { self.code = code }\n}"
    let printed = try Compiler().diagnostics(source, flags: ["-swift-version", "5"])
    // The compiler says it several times.
    #expect(
      Set(printed) == [
        "3:7: warning: cannot expand accessor macro on variable declared with 'let'; this is an error in the Swift 6 "
          + "language mode"
      ])
    try expect(source, ["3:3: error: a 'let' is not persisted"])
  }

  @Test func weakToOne() throws {
    try expect(
      "@Model final class Branch {\n  weak var parent: Branch?\n  @Relationship weak var root: Branch? = nil\n  init() {}\n}",
      ["3:3: warning: 'weak' has no effect on a persisted property", "4:17: warning: 'weak' has no effect"])
  }

  @Test func markersWithoutEffect() throws {
    try expect(
      """
      @Model final class Setting {
        @Relationship(.unique) var key: String
        @Attribute(.unique) var shown: String { key }
        init(key: String) { self.key = key }
      }
      extension Setting {
        @Attribute(.unique) var other: String { key }
      }
      """,
      [
        "3:35: warning: @Relationship has no effect on 'String'",
        "4:3: warning: @Attribute has no effect on a computed property",
        "8:3: warning: @Attribute has no effect on a computed property",
      ])
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
