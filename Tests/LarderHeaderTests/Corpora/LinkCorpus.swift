/// `Link` fields by the rules of RFC 8288, and what stands in them, from `https://api.example/v1/items?page=2`.
///
/// A link is written as its target, its relations in brackets, and whatever parameters matter.
struct LinkCase: Sendable {
  var field: String
  /// `target [relations]`, of each link that can be read.
  var links: [String]

  init(_ field: String, _ links: String...) {
    self.field = field
    self.links = links
  }
}

enum LinkCorpus {
  static let base = "https://api.example/v1/items?page=2"

  static let all: [LinkCase] = targets + relations + separators + quotes + parameters + damaged

  /// Section 3.1: the target is a reference, resolved by RFC 3986, section 5.2.
  private static let targets: [LinkCase] = [
    LinkCase("<https://api.example/v1/items?page=3>; rel=next", "https://api.example/v1/items?page=3 [next]"),
    LinkCase("</v1/items?page=3>; rel=next", "https://api.example/v1/items?page=3 [next]"),
    LinkCase("<items?page=3>; rel=next", "https://api.example/v1/items?page=3 [next]"),
    LinkCase("<?page=3>; rel=next", "https://api.example/v1/items?page=3 [next]"),
    LinkCase("<./items?page=3>; rel=next", "https://api.example/v1/items?page=3 [next]"),
    LinkCase("<../v2/items>; rel=next", "https://api.example/v2/items [next]"),
    LinkCase("<../../../v2>; rel=next", "https://api.example/v2 [next]"),
    LinkCase("<.>; rel=up", "https://api.example/v1/ [up]"), LinkCase("<..>; rel=up", "https://api.example/ [up]"),
    LinkCase("</>; rel=start", "https://api.example/ [start]"),
    LinkCase("<>; rel=self", "https://api.example/v1/items?page=2 [self]"),
    LinkCase("<#part>; rel=section", "https://api.example/v1/items?page=2#part [section]"),
    LinkCase("</a#b>; rel=section", "https://api.example/a#b [section]"),
    LinkCase("<//other.example/x>; rel=next", "https://other.example/x [next]"),
    LinkCase("<http://other.example:8080/x>; rel=next", "http://other.example:8080/x [next]"),
    LinkCase("<HTTPS://api.example/x>; rel=next", "https://api.example/x [next]"),
    LinkCase("<https://[::1]:8/x>; rel=next", "https://[::1]:8/x [next]"),
    LinkCase("<mailto:jane@example.org>; rel=author", "mailto:jane@example.org [author]"),
    LinkCase("<urn:isbn:1>; rel=related", "urn:isbn:1 [related]"),
    LinkCase("<a;b,c?d=\"e\">; rel=next", "https://api.example/v1/a;b,c?d=%22e%22 [next]"),
    LinkCase("<a b>; rel=next", "https://api.example/v1/a%20b [next]"),
    LinkCase("< a >; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<ä>; rel=next", "https://api.example/v1/%C3%A4 [next]"),
    LinkCase("<a%2Fb%20c>; rel=next", "https://api.example/v1/a%2Fb%20c [next]"),
    LinkCase("<?cursor=a%3D%3D&limit=5>; rel=next", "https://api.example/v1/items?cursor=a%3D%3D&limit=5 [next]"),
    LinkCase("<?a[0]=1>; rel=next", "https://api.example/v1/items?a%5B0%5D=1 [next]"),
  ]

  /// Section 3.3: several relations with blanks between them, compared without regard to case; the first `rel` counts.
  private static let relations: [LinkCase] = [
    LinkCase("<a>; rel=\"next\"", "https://api.example/v1/a [next]"),
    LinkCase("<a>; rel=NEXT", "https://api.example/v1/a [next]"),
    LinkCase("<a>; REL=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; Rel=\"Next Last\"", "https://api.example/v1/a [next last]"),
    LinkCase("<a>; rel=\"  next \t last  \"", "https://api.example/v1/a [next last]"),
    LinkCase(
      "<a>; rel=\"start http://example.net/relation/other\"",
      "https://api.example/v1/a [start http://example.net/relation/other]"),
    LinkCase("<a>; rel=http://example.net/R", "https://api.example/v1/a [http://example.net/r]"),
    LinkCase("<a>; rel=next; rel=prev", "https://api.example/v1/a [next]"),
    LinkCase("<a>; rel=\"\"; rel=next", "https://api.example/v1/a []"),
    LinkCase("<a>; rel=", "https://api.example/v1/a []"), LinkCase("<a>; rel", "https://api.example/v1/a []"),
    LinkCase("<a>", "https://api.example/v1/a []"), LinkCase("<a>; title=x", "https://api.example/v1/a []"),
    LinkCase("<a>; rev=next", "https://api.example/v1/a []"),
    LinkCase("<a>; rel=next-page", "https://api.example/v1/a [next-page]"),
    LinkCase("<a>; rel=nexts", "https://api.example/v1/a [nexts]"),
    LinkCase("<a>; xrel=next", "https://api.example/v1/a []"),
    LinkCase("<a>; rel*=UTF-8''next", "https://api.example/v1/a []"),
    LinkCase("<a>; rel=\"next\u{301}\"", "https://api.example/v1/a [next\u{301}]"),
  ]

  /// Sections 3 and 3.5, and RFC 9110, section 5.6.1: commas, empty elements, optional blanks.
  private static let separators: [LinkCase] = [
    LinkCase("<a>;rel=next,<b>;rel=prev", "https://api.example/v1/a [next]", "https://api.example/v1/b [prev]"),
    LinkCase("<a>; rel=next, <b>; rel=prev", "https://api.example/v1/a [next]", "https://api.example/v1/b [prev]"),
    LinkCase(
      "<a> ;\trel = next\t,\t<b> ; rel = \"prev\" ", "https://api.example/v1/a [next]",
      "https://api.example/v1/b [prev]"),
    LinkCase(
      "<a>; rel=first, <b>; rel=prev, <c>; rel=next, <d>; rel=last", "https://api.example/v1/a [first]",
      "https://api.example/v1/b [prev]", "https://api.example/v1/c [next]", "https://api.example/v1/d [last]"),
    LinkCase("<a>, <b>; rel=next", "https://api.example/v1/a []", "https://api.example/v1/b [next]"),
    LinkCase(", ,<a>; rel=next,,", "https://api.example/v1/a [next]"),
    LinkCase("  <a>; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>;; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; ;rel=next;", "https://api.example/v1/a [next]"),
    LinkCase("<a>; rel=next;", "https://api.example/v1/a [next]"),
    LinkCase("<a>;", "https://api.example/v1/a []"), LinkCase(""), LinkCase("   "), LinkCase(","), LinkCase(",,, ,"),
    LinkCase("<a>\u{A0}; rel=next", "https://api.example/v1/a []"),
    LinkCase(
      "<a>; rel=next, <a>; rel=next", "https://api.example/v1/a [next]", "https://api.example/v1/a [next]"),
  ]

  /// RFC 9110, section 5.6.4: in a quoted string commas, semicolons and `<` are text, and a backslash takes the next.
  private static let quotes: [LinkCase] = [
    LinkCase(
      "<a>; title=\"one, two\"; rel=next, <b>; rel=prev", "https://api.example/v1/a [next]",
      "https://api.example/v1/b [prev]"),
    LinkCase("<a>; title=\"one; rel=prev\"; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; title=\"<b>; rel=prev\"; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; title=\"\\\"; rel=prev, <b>; rel=x\"; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; title=\"\\\\\"; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; title=\"a\\,b\"; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; rel=\"ne\\xt\"", "https://api.example/v1/a [next]"),
    LinkCase("<a>; title=\"\"; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; title=\",\u{301};\"; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; title=it's; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; title=a\"b\"; rel=next", "https://api.example/v1/a [next]"),
    LinkCase(
      "<a>; rel=\"next\" ; title=\"b\" , <c>; rel=last", "https://api.example/v1/a [next]",
      "https://api.example/v1/c [last]"),
    LinkCase("<a>; title=\"=\"; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; rel='next'", "https://api.example/v1/a ['next']"),
  ]

  /// Section 3.4: any other parameters may be there, and are of no consequence for those that are known.
  private static let parameters: [LinkCase] = [
    LinkCase("<a>; rel=next; results=\"true\"; x", "https://api.example/v1/a [next]"),
    LinkCase("<a>; x=1; y=2; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; type=\"application/json\"; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; type=application/json; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; hreflang=de; hreflang=en; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; media=\"screen, print\"; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; title*=UTF-8'de'n%c3%a4chste; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; title*=\"UTF-8''x\"; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; = ; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; =x; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; x==; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; x = 1 2 ; rel=next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; crossorigin; as=fetch; rel=preload", "https://api.example/v1/a [preload]"),
  ]

  /// What cannot be read is left out, up to the next comma; the rest is kept.
  private static let damaged: [LinkCase] = [
    LinkCase("a; rel=next"), LinkCase("a>; rel=next"), LinkCase("rel=next"), LinkCase("<a; rel=next"), LinkCase("<"),
    LinkCase(">"), LinkCase(";"), LinkCase("\""), LinkCase("=,=;="),
    LinkCase("https://api.example/v1/a; rel=next, <b>; rel=prev", "https://api.example/v1/b [prev]"),
    LinkCase("x=\"<a>, <b>; rel=next\", <c>; rel=prev", "https://api.example/v1/c [prev]"),
    LinkCase("<a> rel=next, <b>; rel=prev", "https://api.example/v1/a []", "https://api.example/v1/b [prev]"),
    LinkCase("<a>; rel=\"next\"x, <b>; rel=prev", "https://api.example/v1/a [next]", "https://api.example/v1/b [prev]"),
    LinkCase("<a>; rel=\"next, <b>; rel=\"prev\"", "https://api.example/v1/a [next, <b>; rel=]"),
    LinkCase("<a>; rel=\"next", "https://api.example/v1/a [next]"),
    LinkCase("<a>; rel=\"next\\", "https://api.example/v1/a [next]"),
    LinkCase("<a<b>; rel=next", "https://api.example/v1/a%3Cb [next]"),
    LinkCase("<a>>; rel=next, <b>; rel=prev", "https://api.example/v1/a []", "https://api.example/v1/b [prev]"),
    LinkCase("<a><b>; rel=next", "https://api.example/v1/a []"),
    LinkCase("<http://[>; rel=next, <b>; rel=prev", "https://api.example/v1/b [prev]"),
    LinkCase("<a>; anchor=\"http://[\"; rel=next, <b>; rel=prev", "https://api.example/v1/b [prev]"),
    LinkCase("<a>; rel=next; anchor=", "https://api.example/v1/a [next]"),
  ]
}
