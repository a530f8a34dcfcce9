import Foundation
import Testing

@testable import LarderHTTP

/// What is asked of each request's address by its text alone says what the parts of the address say.
@Suite struct AddressTests {
  @Test(
    arguments: [
      ("http://a", true), ("HTTP://a/", true), ("https://user@a/b", true), ("http://[::1]:80/", true),
      ("http://a?b", true), ("http://%41/", true), ("http:///b", false), ("http://:80/", false), ("http://@/b", false),
      ("http://user@/b", false), ("http:a", false), ("ftp://a/", false), ("/b", false), ("http:", false),
      ("http:/", false), ("http://", false), ("http://?b@a", false), ("http://#a", false),
    ])
  func whatCanBeAsked(_ text: String, _ isHTTP: Bool) throws {
    // What is no address at all cannot be asked, either.
    guard let url = URL(string: text) else { return #expect(!isHTTP) }
    #expect(URLBuilder.isHTTP(url) == isHTTP)
    #expect(
      (url.host().map { !$0.isEmpty } ?? false) == isHTTP || !["http", "https"].contains(url.scheme?.lowercased()))
  }

  @Test(
    arguments: ["http://api.example.org", "http://api.example.org/", "http://api.example.org/v1", "http://h:8080"])
  func retriesAreOfTheHost(_ base: String) throws {
    let client = HTTPClient(
      baseURL: try #require(URL(string: base)), transport: TransportStub { _ in .init(status: 200) })
    let host = try #require(client.baseURL.host())
    func budget(_ text: String) throws -> RetryBudget { client.storage.budget(for: try #require(URL(string: text))) }
    let own = try budget(base)
    for below in ["/a", "?a", "/a/b?c#d", ""] {
      let text = base.hasSuffix("/") ? String(base.dropLast()) + below : base + below
      #expect(try budget(text) === own)
    }
    #expect(try budget("https://" + host + ":1/x") === own)
    for other in [base + ".evil", base + "0.evil/", base + "@evil/", "http://evil/" + base] {
      // Behind a port that would be no address.
      guard let url = URL(string: other) else { continue }
      #expect((try budget(other) === own) == (url.host() == host), "\(other)")
    }
  }

  /// RFC 9110, section 5.6.2.
  @Test func tokens() {
    let marks = Set("!#$%&'*+-.^_`|~".utf8)
    for byte in UInt8.min...UInt8.max {
      let isToken =
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"):
          true
        default: marks.contains(byte)
        }
      #expect(ASCIIText.isToken(byte) == isToken, "\(byte)")
    }
  }
}
