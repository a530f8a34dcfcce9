import SwiftParser
import SwiftSyntax
import Testing

/// What is known of a property's type: plainly a scalar, another named type, or the compiler's to find out.
@Suite struct InferenceTests {
  private func type(_ declaration: String, shadowed: Set<String> = []) -> PropertyType? {
    let variable = Parser.parse(source: declaration).statements.first?.item.as(VariableDeclSyntax.self)
    return variable?.bindings.first.flatMap { PropertyType(of: $0, shadowed: shadowed) }
  }

  @Test(arguments: [
    ("var a: String", "String"), ("var a: Foundation.Date", "Foundation.Date"), ("var a: Swift.Int", "Swift.Int"),
    ("var a: Decimal?", "Decimal?"), ("var a: Optional<UUID>", "Optional<UUID>"),
    ("var a: Swift.Optional<URL>", "Swift.Optional<URL>"), ("var a: Int!", "Int?"),
    ("var a = \"\"", "String"), ("var a = 1", "Int"), ("var a = -1", "Int"), ("var a = 1.5", "Double"),
    ("var a = true", "Bool"), ("var a = Date()", "Date"), ("var a = Date.now", "Date"),
    ("var a = Foundation.UUID()", "Foundation.UUID"), ("var a = Date(timeIntervalSince1970: 0)", "Date"),
    ("var a = URL(string: \"x\")!", "URL"), ("var a = Int.max", "Int"), ("var a = Decimal.zero", "Decimal"),
  ])
  func scalars(_ declaration: String, _ name: String) {
    // A qualified initial value is known by the name alone.
    let expected = declaration.contains("= Foundation.") ? String(name.drop { $0 != "." }.dropFirst()) : name
    #expect(type(declaration) == .scalar(expected))
  }

  @Test(arguments: [
    ("var a: Location", "Location"), ("var a: [String]", "[String]"), ("var a: String??", "String??"),
    ("var a: V1.Date", "V1.Date"), ("var a: Location!", "Location?"), ("var a: (Int, Int)", "(Int, Int)"),
    ("var a: [String: Int /* per day */]", "[String: Int ]"),
  ])
  func others(_ declaration: String, _ name: String) {
    #expect(type(declaration) == .named(name))
  }

  @Test(arguments: [
    // Each of these may be an optional or another type than its text suggests.
    "URL(string: \"x\")", "Int(\"5\")", "Status.draft", "Location(name: \"\")", "[String]()", "[1, 2]",
    "UInt8.bitWidth",
    "make()", "1 + 2",
  ])
  func theCompilerKnows(_ value: String) {
    #expect(type("var a = \(value)") == .inferred(from: value))
  }

  @Test func ownTypeOfAScalarsName() {
    #expect(type("var a: Date", shadowed: ["Date"]) == .named("Date"))
    #expect(expand("@Model class Trip {\n  struct Date: Codable {}\n  var day: Date?\n}").text.contains("scalars: []"))
  }
}
