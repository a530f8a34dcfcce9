import Foundation
import LarderHTTP
import Testing

@Suite struct EndpointPathTests {
  private static let base = URL(string: "https://api.example.org")!

  private func address(
    _ path: EndpointPath, base: String = "https://api.example.org", query: [URLQueryItem]? = nil
  ) throws -> String {
    let client = HTTPClient(baseURL: URL(string: base)!, transport: TransportStub { _ in .status(200) })
    return try client.makeRequest(Endpoint<Void>.get(path, query: query)).url.absoluteString
  }

  @Test(arguments: [
    ("a/b", "a%2Fb"), ("a?b", "a%3Fb"), ("a#b", "a%23b"), ("a b", "a%20b"), ("a%2Fb", "a%252Fb"), ("100%", "100%25"),
    ("ä", "%C3%A4"), ("e\u{301}", "e%CC%81"), ("日本", "%E6%97%A5%E6%9C%AC"), ("👩‍🚀", "%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80"),
    ("a+b", "a%2Bb"), ("a&b=c", "a%26b%3Dc"), ("a;b", "a%3Bb"), ("a:b@c", "a%3Ab%40c"), ("\\", "%5C"),
    ("a\0b", "a%00b"),
    ("a\r\nb", "a%0D%0Ab"), ("-._~", "-._~"), ("...", "..."), ("..a", "..a"), ("a..", "a.."), (". .", ".%20."),
    ("\u{FF0E}\u{FF0E}", "%EF%BC%8E%EF%BC%8E"), ("{id}", "%7Bid%7D"), ("\"<>^`|", "%22%3C%3E%5E%60%7C"),
  ]) func aValueIsOneSegment(_ value: String, _ encoded: String) throws {
    #expect(try address("/v1/payments/\(value)/cancel") == "https://api.example.org/v1/payments/\(encoded)/cancel")
  }

  @Test(arguments: ["", ".", ".."]) func aValueThatLeadsElsewhereIsAnError(_ value: String) {
    let expected: InvalidRequest = value.isEmpty ? .emptyPathComponent : .dotSegment
    let error = #expect(throws: HTTPError.self) { try address("/v1/payments/\(value)") }
    #expect(error?.kind == .invalidRequest(expected))
    #expect(error?.delivery == .notSent)
    #expect(error?.request == "GET /v1/payments/{}")
  }

  @Test func dotsThatCompleteADotSegmentAreAnError() {
    for (path, name) in [
      ("/a/.\(".")/b" as EndpointPath, "half literal"), ("/a/%2E%2e/b", "encoded"), ("/a/%2e\(".")", "half encoded"),
      ("/a/../b", "literal"), ("/a/.", "last"), ("..", "alone"), ("/files/\(segments: ["a", "..", "b"])", "segments"),
    ] {
      let error = #expect(throws: HTTPError.self, "\(name)") { try address(path) }
      #expect(error?.kind == .invalidRequest(.dotSegment), "\(name)")
    }
  }

  @Test func literalsKeepWhatIsEncodedAndEncodeTheRest() throws {
    #expect(try address("/a%2Fb/c d/é") == "https://api.example.org/a%2Fb/c%20d/%C3%A9")
    #expect(try address("/a;b=1,2:3@x!$&'()*+") == "https://api.example.org/a;b=1,2:3@x!$&'()*+")
    for path in ["/a?b=c", "/a#b", "/100%", "/a%2", "/a%zz"] {
      let error = #expect(throws: HTTPError.self) { try address(EndpointPath(stringLiteral: path)) }
      #expect(error?.kind == .invalidRequest(.path), "\(path)")
    }
  }

  @Test func valuesOfManyTypes() throws {
    enum Status: String { case open = "open/closed" }
    enum Level: Int { case high = 3 }
    let id = UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF")!
    let path: EndpointPath =
      "/\(1)/\(-2)/\(1.5)/\(true)/\(Status.open)/\(Level.high)/\(id)/\(Substring("a b"))/\(Character("/"))"
    #expect(
      try address(path)
        == "https://api.example.org/1/-2/1.5/true/open%2Fclosed/3/6f9619ff-8b86-d011-b42d-00c04fc964ff/a%20b/%2F")
    #expect(path.template == "/{}/{}/{}/{}/{}/{}/{}/{}/{}")
    #expect("\(path)" == path.template)
    #expect(try address("/v\(2)/x\("y z").json") == "https://api.example.org/v2/xy%20z.json")
  }

  @Test func segments() throws {
    #expect(try address("/files/\(segments: ["a b", "c/d"])") == "https://api.example.org/files/a%20b/c%2Fd")
    #expect(try address(EndpointPath(segments: ["v1", "ü"])) == "https://api.example.org/v1/%C3%BC")
    for empty in ["/files/\(segments: [])" as EndpointPath, "/files/\(segments: ["a", ""])"] {
      let error = #expect(throws: HTTPError.self) { try address(empty) }
      #expect(error?.kind == .invalidRequest(.emptyPathComponent))
    }
  }

  @Test func aPathOfAServerKeepsItsValuesToItself() throws {
    let path = EndpointPath(percentEncoded: "/users/jane%40example.org")
    #expect(try address(path) == "https://api.example.org/users/jane%40example.org")
    #expect(path.template == "…")
  }

  @Test(arguments: [
    ("https://h", "/a", "https://h/a"), ("https://h/", "/a", "https://h/a"), ("https://h/api", "/a", "https://h/api/a"),
    ("https://h/api/", "/a", "https://h/api/a"), ("https://h/api", "a", "https://h/api/a"),
    ("https://h/api/", "a/", "https://h/api/a/"), ("https://h/api", "", "https://h/api"),
    ("https://h/api/", "", "https://h/api/"), ("https://h:8443/x%2Fy", "/a", "https://h:8443/x%2Fy/a"),
    ("http://[::1]:8080/v1", "/a", "http://[::1]:8080/v1/a"), ("https://h", "//a", "https://h//a"),
    ("HTTPS://H", "/a", "HTTPS://H/a"),
  ]) func baseAndPath(_ base: String, _ path: String, _ expected: String) throws {
    #expect(try address(EndpointPath(stringLiteral: path), base: base) == expected)
  }

  @Test(arguments: [
    "ftp://h", "file:///etc/passwd", "https://", "/relative", "https://user:secret@h", "https://h?x=1", "https://h#f",
    "mailto:x@y",
  ]) func aBaseThatIsNone(_ base: String) throws {
    let error = #expect(throws: HTTPError.self) { try address("/a", base: base) }
    #expect(error?.kind == .invalidRequest(.url))
    #expect(error.map { !$0.description.contains("secret") } == true)
  }

  @Test func queries() throws {
    func query(_ items: [URLQueryItem]?) throws -> String {
      String(try address("/a", query: items).dropFirst("https://api.example.org/a".count))
    }
    #expect(try query(nil) == "")
    #expect(try query([]) == "")
    #expect(try query([URLQueryItem(name: "q", value: "a b&c=d+e")]) == "?q=a%20b%26c%3Dd%2Be")
    #expect(
      try query([("tag", "x"), ("tag", "y"), ("tag", "x")].map { URLQueryItem(name: $0, value: $1) })
        == "?tag=x&tag=y&tag=x")
    #expect(
      try query([URLQueryItem(name: "flag", value: nil), URLQueryItem(name: "empty", value: "")]) == "?flag&empty=")
    #expect(try query([URLQueryItem(name: "filter[a/b]", value: "ü?#%")]) == "?filter%5Ba%2Fb%5D=%C3%BC%3F%23%25")
    #expect(try query([URLQueryItem(name: "at", value: "2026-01-01T00:00:00+01:00")]).hasSuffix("00%3A00%2B01%3A00"))
  }
}
