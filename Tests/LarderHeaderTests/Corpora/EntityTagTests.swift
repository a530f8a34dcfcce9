import Foundation
import Testing

@testable import LarderHTTP

/// By the rules of RFC 9110, section 8.8.3.
@Suite struct EntityTagTests {
  /// Characters that may stand in a tag: `!`, and what is visible from `#` on.
  private static let allowed = ([0x21] + Array(0x23...0x7E)).map { String(UnicodeScalar(UInt8($0))) }
  private static let forbidden = (Array(0...0x20) + [0x22, 0x7F]).map { String(UnicodeScalar(UInt8($0))) }

  static let good: [String] =
    [
      "\"\"", "W/\"\"", "\"xyzzy\"", "W/\"xyzzy\"", "\"W/\"", "\"a'b\"", "\"\\\"", "\"ä\"", "\"\u{301}\"", "\"€\"",
      "\"33a64df551425fcc55e4d42a148795d9f25f89d4\"", "\"5d8c72a5edda8-gzip\"", "W/\"0815:1,2;3\"", "\"a/b?c=d\"",
      "\"" + String(repeating: "x", count: 5_000) + "\"",
    ] + allowed.map { "\"a\($0)\"" }

  static let bad: [String] =
    [
      "", "xyzzy", "\"", "W/", "W/\"", "w/\"xyzzy\"", "W\"xyzzy\"", "W/ \"xyzzy\"", "W/xyzzy", "/\"x\"", "'xyzzy'",
      "\"a\", \"b\"", "\"a\"b", "a\"b\"", "*", "\"a\" W/", "“a”", "\"a", "a\"", "WW/\"a\"", "W/W/\"a\"", "null",
      "\"a\";q=1",
    ] + forbidden.map { "\"a\($0)b\"" }

  @Test(arguments: good) func whatIsOne(_ field: String) throws {
    let tag = try #require(EntityTag(field))
    #expect(tag.description == field)
    #expect(tag.isWeak == field.utf8.starts(with: "W/".utf8))
    #expect(EntityTag(" \t" + field + " ") == tag)
  }

  @Test(arguments: bad) func whatIsNone(_ field: String) { #expect(EntityTag(field) == nil) }

  @Test func thereAreAHundred() { #expect(Self.good.count + Self.bad.count >= 100) }

  /// The table of section 8.8.3.2.
  @Test(
    arguments: [
      ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false), ("W/\"1\"", "\"1\"", false, true),
      ("\"1\"", "\"1\"", true, true), ("\"1\"", "\"2\"", false, false), ("\"1\"", "\"1 \"", false, false),
      ("\"a\"", "\"A\"", false, false), ("\"\"", "\"\"", true, true),
      // Equal for Unicode, and not for the server.
      ("\"\u{E4}\"", "\"a\u{308}\"", false, false),
    ]) func comparisons(_ left: String, _ right: String, _ strong: Bool, _ weak: Bool) throws
  {
    let right = EntityTag(right)
    let left = try #require(EntityTag(left))
    guard let right else {
      #expect(!weak)
      return
    }
    #expect(left.stronglyMatches(right) == strong && right.stronglyMatches(left) == strong)
    #expect(left.weaklyMatches(right) == weak && right.weaklyMatches(left) == weak)
    #expect(!(left == right) || left.hashValue == right.hashValue)
  }

  /// Of a tag that is none, nothing is asked by.
  @Test func validatorsKeepWhatIsOne() {
    let url = URL(string: "https://h/")!
    func validators(_ tag: String) -> Validators? {
      Validators(
        ResponseHead(status: 200, headers: ["ETag": tag], url: url), to: HTTPRequest(.get, url), scope: "", now: Date())
    }
    #expect(validators(" \"\u{301}1\" ")?.entityTag == "\"\u{301}1\"")
    #expect(validators("\"1\"")?.isStrong == true && validators("W/\"1\"")?.isStrong == false)
    #expect(validators("1") == nil)
  }
}
