import Foundation
import Testing

@testable import LarderHTTP

@Suite struct URLReferenceTests {
  /// The examples of RFC 3986, sections 5.4.1 and 5.4.2.
  @Test(arguments: [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
    ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
    ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
    ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
    ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
    ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
    ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
    ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
    ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
  ]) func resolution(_ reference: String, _ target: String) {
    #expect(URLReference(reference).resolved(against: URLReference("http://a/b/c/d;p?q")).text == target)
  }

  @Test(
    arguments: [
      ("next?page=2", "https://h/v1/next?page=2"), ("//other/x", "https://other/x"),
      ("/ä ö", "https://h/%C3%A4%20%C3%B6"),
      (" /trimmed\t", "https://h/trimmed"), ("HTTPS://H2/x", "https://H2/x"), ("/a#b", "https://h/a"),
      ("", "https://h/v1/list"),
      ("//[::1]:80/x", "https://[::1]:80/x"), ("a:b/c", nil), ("ftp://h/x", nil), ("javascript:alert(1)", nil),
      ("http:///x", nil), ("//", nil), ("http://h:port/", nil), ("/a\u{0}b", "https://h/a%00b"),
      ("/%zz", "https://h/%25zz"), ("/a%", "https://h/a%25"), ("/a%2", "https://h/a%252"),
      ("/a%2Fb%c3", "https://h/a%2Fb%c3"),
      ("/items?page[number]=2&q=a%20b", "https://h/items?page%5Bnumber%5D=2&q=a%20b"),
      ("/a[0]/b|c?d=\"{e}\"&f=^`\\", "https://h/a%5B0%5D/b%7Cc?d=%22%7Be%7D%22&f=%5E%60%5C"),
      ("?a=b#c#d", "https://h/v1/list?a=b"), ("/?a?b/c:@", "https://h/?a?b/c:@"),
      // Hosts and ports.
      ("http://bücher.example:8080/é", "http://xn--bcher-kva.example:8080/%C3%A9"),
      ("http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"), ("//faß.de", "https://xn--fa-hia.de"),
      ("http://h:65535/", "http://h:65535/"), ("http://h:65536/", nil), ("http://h:0/", nil),
      ("http://h:/x", "http://h/x"),
      ("http://h:99999999999999999999/", nil), ("http://a b/", nil), ("http://a..b/", nil), ("http://[::1/", nil),
      ("http://[::1]x/", nil), ("http://[zz]/", nil), ("http://a[b]/", nil), ("http://h_1-x.y~/", "http://h_1-x.y~/"),
      // No credentials of a server's.
      ("https://user:password@h2/x", "https://h2/x"), ("//a@b@h2:81/", "https://h2:81/"),
      ("https://@h2/", "https://h2/"),
    ] as [(String, String?)]) func locations(_ location: String, _ expected: String?)
  {
    #expect(URLReference.httpURL(location, from: URL(string: "https://h/v1/list")!)?.absoluteString == expected)
  }

  @Test func origins() {
    func same(_ left: String, _ right: String) -> Bool { URL(string: left)!.hasSameOrigin(as: URL(string: right)!) }
    #expect(same("https://h/a", "https://H:443/b"))
    #expect(same("http://h:80", "http://h/x?y"))
    #expect(!same("https://h", "http://h"))
    #expect(!same("https://h", "https://h:8443"))
    #expect(!same("https://h", "https://x.h"))
  }
}
