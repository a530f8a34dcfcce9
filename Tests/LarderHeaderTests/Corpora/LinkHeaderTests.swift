import Foundation
import Testing

@testable import LarderHTTP

@Suite struct LinkHeaderTests {
  private let base = URL(string: LinkCorpus.base)!

  @Test(arguments: LinkCorpus.all) func corpus(_ one: LinkCase) {
    let links = LinkHeader(one.field, relativeTo: base)
    let found = links.map { "\($0.target.absoluteString) [\($0.relations.joined(separator: " "))]" }
    #expect(found == one.links, "\(one.field)")
  }

  @Test func thereAreAHundred() { #expect(LinkCorpus.all.count >= 100) }

  private func next(_ fields: String...) -> String? {
    LinkHeader(fields: fields.map { Array($0.utf8) }, base: base)["next"]?.target.absoluteString
  }

  @Test func theNextPage() {
    #expect(next("<a>; rel=prev", "<b>; rel=next") == "https://api.example/v1/b")
    // A line that breaks off takes none of another along.
    #expect(next("<a>; rel=\"prev", "<b>; rel=next") == "https://api.example/v1/b")
    #expect(next("<a>; rel=\"prev next\", <b>; rel=next") == "https://api.example/v1/a")
    #expect(next("<a>; rel=prev") == nil && next() == nil)
  }

  /// Section 3.2: what has an anchor speaks of something else, unless that is the same.
  @Test func anchors() {
    #expect(next("<a>; rel=next; anchor=\"/other\"") == nil)
    #expect(next("<a>; rel=next; anchor=\"#part\"") == nil)
    #expect(next("<a>; rel=next; anchor=\"/other\", <b>; rel=next") == "https://api.example/v1/b")
    #expect(next("<a>; rel=next; anchor=\"/v1/items?page=2\"") == "https://api.example/v1/a")
    #expect(next("<a>; rel=next; anchor=\"\"") == "https://api.example/v1/a")
    let link = LinkHeader("<a>; rel=next; anchor=\"/other\"", relativeTo: base).first
    #expect(link?.context.absoluteString == "https://api.example/other" && link?.hasResponseContext == false)
  }

  /// RFC 8187: the longer form comes first, where it can be read.
  @Test(
    arguments: [
      ("title=plain", "plain"), ("title=\"with \\\"quotes\\\"\"", "with \"quotes\""), ("title=a; title=b", "a"),
      ("title*=UTF-8''n%C3%A4chste", "nächste"), ("title*=utf-8'de'n%c3%a4chste; title=x", "nächste"),
      ("title=x; title*=UTF-8''%e2%82%ac%20rates", "€ rates"), ("title*=UTF-8''", ""),
      ("title=x; title*=UTF-8''%", "x"), ("title=x; title*=UTF-8''%4", "x"), ("title=x; title*=UTF-8''%zz", "x"),
      ("title=x; title*=UTF-8''%ff", "x"), ("title=x; title*=ISO-8859-1''%e4", "x"), ("title=x; title*=plain", "x"),
      ("title=x; title*=UTF-8'plain", "x"), ("title=x; title*=UTF-8''a b", "x"), ("title=x; title*=''a", "x"),
      ("title=x; title*=UTF-8'en'it's", "x"), ("rel=next", nil), ("title*=UTF-8''%", nil),
    ] as [(String, String?)]) func titles(_ parameters: String, _ title: String?)
  {
    #expect(LinkHeader("<a>; " + parameters, relativeTo: base).first?.title == title)
  }

  @Test func parametersAsTheyCame() throws {
    let link = try #require(LinkHeader("<a>; Type=\"a/b\"; x; y=\"\"; TYPE=c", relativeTo: base).first)
    #expect(link["type"] == "a/b" && link["X"] == "" && link["y"] == "" && link["z"] == nil)
    #expect(link.parameters.map(\.name) == ["type", "x", "y", "type"])
    #expect(link.hasRelation("next") == false)
  }

  @Test func theLinksOfAResponse() throws {
    var headers: HTTPHeaders = ["link": "<?page=3>; rel=next"]
    headers.add("<?page=9>; rel=last", for: "Link")
    let head = ResponseHead(status: 200, headers: headers, url: base)
    #expect(head.links.count == 2)
    #expect(head.links["last"]?.target.query() == "page=9")
    #expect(ResponseHead(status: 200, url: base).links.isEmpty)
  }

  /// Of what is hardest, more than a header may be takes no longer than its length allows.
  @Test(arguments: ["<", "<a>", ",", ";", "\"", "<a>;x=\"", "\\", "<a>;rel=\"a ", "<a>;x,", "a,"])
  func whatIsLongIsRead(_ part: String) {
    let field = String(repeating: part, count: 100_000 / part.utf8.count)
    let began = ContinuousClock.now
    _ = LinkHeader(field, relativeTo: base).count
    #expect(ContinuousClock.now - began < .seconds(60))
  }
}
