import DurabilityWork
import Foundation
import Testing

@testable import LarderHTTP

/// Whatever a server has in the path and the query of a reference: what is encoded stays, and what may not stand there is
/// encoded once (RFC 3986, sections 2.1, 3.3 and 3.4).
@Suite struct ReferenceEncodingTests {
  private static let pieces =
    [
      "%", "%2", "%zz", "%20", "%2f", "%C3%A9", "%25", "%5B", "[", "]", "{", "}", "|", "\\", "^", "`", "\"", "<", ">",
      " ",
      "\t", "\u{1}", "\u{7F}", "'", "(", ")", "!", "*", "$", "&", "+", ",", ";", "=", ":", "@", "a", "Z", "0", "-", "_",
      "~",
      "é", "e\u{301}", "日本", "\u{1F600}", "\u{FEFF}", "\u{0}",
    ]

  private static func text(_ generator: inout SeededGenerator, adding: [String] = []) -> String {
    let all = pieces + adding
    return "a"
      + (0..<Int.random(in: 0...12, using: &generator)).map { _ in all.randomElement(using: &generator)! }.joined()
      + "z"
  }

  /// What is to become of a part, by the characters that it may have.
  private static func expected(_ text: String, alsoLegal: String) -> String {
    let legal = Set(
      ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~" + "!$&'()*+,;=" + ":@" + alsoLegal).utf8)
    let hexadecimal = Set("0123456789ABCDEFabcdef".utf8)
    let bytes = Array(text.utf8)
    var isOfTriple = Set<Int>()
    for place in bytes.indices.dropLast(2) where bytes[place] == UInt8(ascii: "%") {
      if hexadecimal.contains(bytes[place + 1]), hexadecimal.contains(bytes[place + 2]) {
        isOfTriple.formUnion(place...place + 2)
      }
    }
    return bytes.enumerated().map { place, byte in
      legal.contains(byte) || isOfTriple.contains(place)
        ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  @Test func randomReferences() {
    let seed = Share.seed
    var generator = SeededGenerator(seed: seed)
    let base = URL(string: "https://h/list?page=1")!
    for _ in 0..<4_000 {
      let path = Self.text(&generator, adding: ["/"])
      let query = Self.text(&generator, adding: ["/", "?"])
      let reference = "/" + path + "?" + query
      let expected =
        "https://h/" + Self.expected(path, alsoLegal: "/") + "?" + Self.expected(query, alsoLegal: "/?")
      #expect(
        URLReference.httpURL(reference, from: base)?.absoluteString == expected,
        "\(reference.debugDescription), LARDER_SEED=\(seed)")
      // Encoded once, nothing of it is encoded again.
      #expect(URLReference.httpURL(expected, from: base)?.absoluteString == expected, "LARDER_SEED=\(seed)")
      let link = LinkHeader("<\(reference.replacing(">", with: ""))>; rel=next", relativeTo: base)["next"]
      let linked =
        "https://h/" + Self.expected(path.replacing(">", with: ""), alsoLegal: "/") + "?"
        + Self.expected(query.replacing(">", with: ""), alsoLegal: "/?")
      #expect(link?.target.absoluteString == linked, "\(reference.debugDescription), LARDER_SEED=\(seed)")
    }
  }

  /// A fragment is no more encoded twice than the rest.
  @Test func fragments() {
    let link = LinkHeader("</a#b[0]%20c#d>; rel=next", relativeTo: URL(string: "https://h/")!)["next"]
    #expect(link?.target.absoluteString == "https://h/a#b%5B0%5D%20c%23d")
  }
}
