import Testing

@testable import LarderHTTP

/// `Content-Type` by the rules of RFC 9110, section 8.3.1, and of RFC 6839 for suffixes.
@Suite struct MediaTypeTests {
  /// Characters of a token (section 5.6.2), and those that are none.
  private static let token = "!#$%&'*+-.^_`|~0129azAZ".map(String.init)
  private static let noToken = "\"(),/:;<=>?@[\\]{} \u{7F}\u{0}äé€".map(String.init)

  static let json: [String] = [
    "application/json", "Application/JSON", "APPLICATION/JSON", "application/json;charset=utf-8",
    "application/json; charset=\"utf-8\"", "application/json ; charset=utf-8", " application/json\t",
    "application/json;", "application/json;;;", "application/json; =", "application/json;\u{301}charset=utf-8",
    "application/json, text/html", "application/json,", "text/json", "application/problem+json",
    "application/problem+json; charset=utf-8", "application/vnd.api+json", "application/vnd.example.v3+json",
    "application/ld+json; profile=\"a;b,c\"", "application/hal+json", "application/geo+json", "image/x+json",
    "application/manifest+JSON", "application/+json", "application/json;text/html",
  ]

  static let page: [String] = [
    "text/html", "TEXT/HTML", "text/html; charset=utf-8", "text/html;charset=ISO-8859-1", " text/html ", "text/html;",
    "text/html;\u{301}x", "text/html,application/json", "application/xhtml+xml", "application/xhtml+xml; charset=utf-8",
    "Application/XHTML+XML", "text/html; a=\"application/json\"",
  ]

  static let other: [String] =
    [
      "text/plain", "application/octet-stream", "application/xml", "application/jsonp", "application/x-ndjson",
      "application/json-seq", "application/json+xml", "text/htmlx", "xtext/html", "application/javascript",
      "multipart/form-data; boundary=json", "application/xhtml+json2", "text/x-json", "image/png", "*/*", "text/*",
    ] + token.map { "text/x\($0)" }

  static let none: [String] =
    [
      "", " ", ";", ",", "/", "json", "text", "text/", "/html", "text//html", "text/html/json", "text /html",
      "text/ html", "text\t/html", "text html", "\"text/html\"", "text/html charset=utf-8", "application/json charset",
      "text\\html", "text:html", "charset=utf-8", "; text/html", ", text/html", "null", "text/html\u{0}",
      "text/\u{301}html", "text/html\u{301}", "ｔext/html",
    ] + noToken.filter { ![";", ","].contains($0) }.map { "te\($0)xt/plain" }

  @Test(arguments: json) func whatIsJSON(_ field: String) {
    let type = MediaType(field)
    #expect(type.isJSON && !type.isHTML, "\(field)")
  }

  @Test(arguments: page) func whatIsAPage(_ field: String) {
    let type = MediaType(field)
    #expect(type.isHTML && !type.isJSON && MediaType.mayBeHTML(field), "\(field)")
  }

  @Test(arguments: other) func whatIsNeither(_ field: String) {
    let type = MediaType(field)
    #expect(!type.isHTML && !type.isJSON && type.name != nil, "\(field)")
  }

  @Test(arguments: none) func whatIsNone(_ field: String) { #expect(MediaType(field).name == nil, "\(field)") }

  @Test func thereAreAHundred() {
    #expect(Self.json.count + Self.page.count + Self.other.count + Self.none.count >= 100)
    #expect(MediaType(nil).name == nil)
  }
}
