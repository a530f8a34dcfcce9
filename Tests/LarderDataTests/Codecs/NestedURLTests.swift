import Foundation
import LarderData
import LarderSQLite
import SwiftData
import TestSeeds
import Testing

/// URLs within values that are stored as JSON: relative ones come back with their base, as in a column of their own.
@Suite struct NestedURLTests {
  struct Link: Codable, Hashable {
    var title: String
    var url: URL
    var others: [URL?]
    var when: Date
    var bytes: Data
    var price: Decimal
    var count: UInt64
  }

  enum Target: Codable, Hashable {
    case page(URL)
    case pages([String: URL], main: URL?)
    case none
  }

  final class Board: Codable {
    var links: [Link]
    init(_ links: [Link]) { self.links = links }
  }

  /// Its coding is its own: what it encodes as a text is a text.
  struct Spelled: Codable, Hashable {
    var url: URL
    init(_ url: URL) { self.url = url }
    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      guard let url = URL(string: text) else { throw CocoaError(.coderInvalidValue) }
      self.url = url
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(url.absoluteString)
    }
  }

  private struct Maker {
    var random = Share.generator

    mutating func url() -> URL {
      let texts = ["page", "../up?q#f", "/root", "//host/x", "a%3Eb", "?q=<", "", "https://example.org/whole"]
      let bases = ["https://example.org/dir/?a=%3E", "file:///tmp/a%20b/", "https://example.org"]
      let base = random.chance(75) ? URL(string: bases.randomElement(using: &random) ?? "") : nil
      return URL(string: texts.randomElement(using: &random) ?? "", relativeTo: base) ?? URL(filePath: "/")
    }

    mutating func urls() -> [URL] { (0..<Int.random(in: 0...3, using: &random)).map { _ in url() } }

    mutating func link() -> Link {
      Link(
        title: "<t>", url: url(), others: urls() + [nil], when: Date(timeIntervalSinceReferenceDate: 0.1),
        bytes: Data([0, 255]), price: Decimal(1) / 8, count: .max)
    }

    mutating func target() -> Target {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: .page(url())
      case 1:
        .pages(
          Dictionary(urls().map { ("\($0)", $0) }, uniquingKeysWith: { $1 }), main: random.chance(50) ? url() : nil)
      default: .none
      }
    }
  }

  private func same(_ left: URL, _ right: URL) -> Bool {
    left.relativeString == right.relativeString && left.baseURL == right.baseURL
  }

  private func expect<Value: Codable>(
    _ value: Value, _ seed: UInt64, _ location: SourceLocation = #_sourceLocation, _ urls: (Value) -> [URL?]
  ) throws {
    let copy = try CodecTable(Value.self, whole: true).roundTrip(value)
    let (found, wanted) = (urls(copy), urls(value))
    let agree = found.elementsEqual(wanted) { left, right in
      left.flatMap { left in right.map { same(left, $0) } } ?? (left == nil && right == nil)
    }
    #expect(agree, "LARDER_SEED=\(seed): \(found), and not \(wanted)", sourceLocation: location)
  }

  @Test func relativeOnesComeBackWithTheirBase() throws {
    var maker = Maker()
    let seed = maker.random.seed
    for _ in 0..<100 {
      try expect(maker.urls(), seed) { $0 }
      try expect(maker.urls() + [nil], seed) { $0 }
      try expect([maker.urls(), maker.urls()], seed) { $0.flatMap(\.self) }
      try expect(["a": maker.url(), "b": maker.url()], seed) { [$0["a"], $0["b"]] }
      try expect([1: maker.urls()], seed) { $0[1] ?? [] }
      try expect(Set(maker.urls()), seed) { $0.sorted { $0.absoluteString < $1.absoluteString }.map(\.absoluteURL) }
      try expect(maker.link(), seed) { [$0.url] + $0.others }
      try expect([maker.link(), maker.link()], seed) { $0.flatMap { [$0.url] + $0.others } }
      try expect(Board([maker.link()]), seed) { $0.links.flatMap { [$0.url] + $0.others } }
      try expect([maker.target()], seed) {
        $0.flatMap { target -> [URL?] in
          switch target {
          case .page(let url): [url]
          case .pages(let pages, let main): pages.sorted { $0.key < $1.key }.map(\.value) + [main]
          case .none: []
          }
        }
      }
      let link = maker.link()
      #expect(try CodecTable(Link.self, whole: true).roundTrip(link) == link, "LARDER_SEED=\(seed)")
      // A coding of its own decides itself.
      let spelled = Spelled(maker.url())
      #expect(
        try CodecTable(Spelled.self, whole: true).roundTrip(spelled).url.absoluteString == spelled.url.absoluteString)
    }
  }

  /// As `JSONEncoder` writes them, which is what stores have.
  @Test func absoluteOnesAreTheirText() throws {
    let urls = try ["https://example.org/a%20b", "relative"].map { try #require(URL(string: $0)) }
    let table = try CodecTable([URL].self)
    #expect(try table.write(urls) == nil)
    let rows = try TestStore.rows("SELECT * FROM t", on: table.connection)
    #expect(rows == [[.text(#"["https://example.org/a%20b","relative"]"#)]])
  }
}
