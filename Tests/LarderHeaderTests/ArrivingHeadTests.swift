import DurabilityWork
import Foundation
import Testing

@testable import LarderHTTP

@Suite struct ArrivingHeadTests {
  private func head(_ lines: [String]) -> (Int, HTTPHeaders)? {
    arrived(lines).map { ($0.status, $0.headers) }
  }

  private func arrived(_ lines: [String]) -> RawResponseHead? {
    var arriving = ResponseHeadParser()
    var last: RawResponseHead?
    for line in lines {
      let bytes = Array((line + "\r\n").utf8)
      if let head = bytes.withUnsafeBytes({ arriving.append($0) }) { last = head }
    }
    return last
  }

  @Test func interimResponsesAreNotTheAnswer() throws {
    let (status, headers) = try #require(
      head(["HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 100", "", "HTTP/2 204 ", "ETag: \"1\"", ""]))
    #expect(status == 204)
    #expect(headers.fields.map(\.name) == ["ETag"])
  }

  @Test func trailersAreDropped() {
    var arriving = ResponseHeadParser()
    var heads = 0
    for line in ["HTTP/1.1 200 OK", "A: 1", "", "B: 2", "HTTP/1.1 500 No", ""] {
      if Array((line + "\r\n").utf8).withUnsafeBytes({ arriving.append($0) }) != nil { heads += 1 }
    }
    #expect(heads == 1)
    #expect(arriving.byteCount == 50)
  }

  /// What the transport reads while the lines come is what the fields say; what they do not say clearly is no length.
  @Test(
    arguments: [
      (["Content-Length: 7", "Content-Encoding: gzip"], 7, true), (["content-length :\t08 "], 8, false),
      (["Content-Length: 7", "Content-Length: 7"], 7, false), (["Content-Length: 7, 07"], 7, false),
      (["Content-Length: 1", "  ", "A: 1", " 2"], 1, false),
      (["X-Content-Length: 7", "Content-Encodings: x"], nil, false),
      (["A: 1", "CONTENT-ENCODING:"], nil, true), ([], nil, false),
      (["Content-Length: 123456789012345678"], 123_456_789_012_345_678, false),
      // Chunks say by themselves where they end.
      (["Content-Length: 7", "Transfer-Encoding: chunked"], nil, false), (["TRANSFER-ENCODING: Chunked"], nil, false),
      (["Transfer-Encoding: identity", "Content-Length: 7"], 7, false), (["Trailer: Content-Length"], nil, false),
    ] as [([String], Int64?, Bool)]) func whatTheTransportReads(_ lines: [String], _ length: Int64?, _ isEncoded: Bool)
  {
    let head = arrived(
      ["HTTP/1.1 103", "Content-Length: 5", "Content-Encoding: br", "", "HTTP/1.1 200 OK"] + lines + [""])
    #expect(head?.framing.length == length && head?.isEncoded == isEncoded && head?.framing.isAmbiguous == false)
    #expect(head?.headers["Content-Encoding"] == nil || isEncoded)
  }

  /// Where two may read two things, one of them takes what is cut off for whole.
  @Test(arguments: [
    ["Content-Length: 7", "Content-Length: 9"], ["Content-Length: x", "Content-Length: 9"], ["Content-Length: 5, 10"],
    ["Content-Length: 1", " 2"], ["Content-Length:", " 2"], ["Content-Length: -1"], ["Content-Length: +1"],
    ["Content-Length: 0x10"], ["Content-Length: 5abc"], ["Content-Length: 1234567890123456789"], ["Content-Length:"],
    ["Content-Length: 5,"], ["Transfer-Encoding: gzip"], ["Transfer-Encoding: gzip, chunked"],
    ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], ["Transfer-Encoding : chunked"],
    ["Transfer-Encoding:"], ["Transfer-Encoding: chunked", " , gzip"], ["Transfer-Encoding: xchunked"],
  ]) func whatIsUnclear(_ lines: [String]) {
    let head = arrived(["HTTP/1.1 200 OK"] + lines + [""])
    #expect(head?.framing.isAmbiguous == true)
  }

  @Test(arguments: [
    ["HTTP/1.1", ""], ["HTTP/1.1 ", ""], ["HTTP/1.1 20 OK", ""], ["HTTP/1.1 2000 OK", ""], ["HTTP/1.1 2x0 OK", ""],
    ["HTTP/ 200", "X"], ["", ""], ["A: 1", ""], ["http/1.1 200 OK", ""],
  ]) func whatIsNoStatus(_ lines: [String]) { #expect(head(lines) == nil) }

  @Test func fieldsThatAreNone() throws {
    let (_, headers) = try #require(
      head([
        "HTTP/1.1 200 OK", ": no name", "no colon", " folded", "\tfolded: 1", "A:", "B:  two words \t", "C: a:b", "",
      ]))
    #expect(
      headers.fields == [
        .init(name: "A", value: ""), .init(name: "B", value: "two words"), .init(name: "C", value: "a:b"),
      ])
  }

  /// RFC 9112, section 5.2: a value that goes on in the next line is one value, with a blank in between.
  @Test func foldedValues() throws {
    let (_, headers) = try #require(
      head([
        "HTTP/1.1 200 OK", " before any field", "Link: <a>; rel=prev,", "\t <b>; rel=next  ", "  ", "A:", " 1",
        "no colon",
        " of nothing", "B: 2", "",
      ]))
    #expect(
      headers.fields == [
        .init(name: "Link", value: "<a>; rel=prev, <b>; rel=next"), .init(name: "A", value: "1"),
        .init(name: "B", value: "2"),
      ])
  }

  /// Section 5.1: what stands before the colon is a name, but for blanks, which no name has.
  @Test func namesThatAreNone() throws {
    let (_, headers) = try #require(
      head([
        "HTTP/1.1 200 OK", "Content-Type : text/html", "two words: 1", "k\u{E4}se: 1", "\u{0}: 1", "a\u{7F}: 1",
        "[a]: 1",
        "A\t: 2", "",
      ]))
    #expect(headers.fields == [.init(name: "Content-Type", value: "text/html"), .init(name: "A", value: "2")])
  }

  @Test func bytesAtRandom() {
    var random = Share.generator
    for _ in 0..<500 {
      var arriving = ResponseHeadParser()
      var heads: [RawResponseHead] = []
      var count = 0
      func add(_ bytes: [UInt8]) {
        if let head = bytes.withUnsafeBytes({ arriving.append($0) }) { heads.append(head) }
        count += bytes.count
      }
      for _ in 0..<20 {
        add((0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
        add(Array("HTTP/1.1 200 \r\n".utf8))
        add((0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
        add(Array("\r\n".utf8))
      }
      #expect(heads.map(\.status) == [200] && arriving.byteCount == count, "LARDER_SEED=\(random.seed)")
      let names = heads.flatMap { $0.headers.fields.map(\.name) }
      #expect(names.allSatisfy { $0.utf8.allSatisfy(ASCIIText.isToken) && !$0.isEmpty }, "LARDER_SEED=\(random.seed)")
    }
  }

  @Test func headersAreFoundWithoutRegardToCase() {
    var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
    #expect(headers["a"] == "1" && headers.values(for: "A") == ["1", "3"] && headers.combinedValue(for: "a") == "1, 3")
    headers["a"] = "4"
    #expect(headers.fields.map(\.value) == ["4", "2"])
    headers["B"] = nil
    headers.add("5", for: "C")
    #expect(headers == ["a": "4", "c": "5"])
    #expect(headers.hashValue == (["A": "4", "C": "5"] as HTTPHeaders).hashValue)
    #expect(headers["K\u{212A}"] == nil)
  }

  @Test func mediaTypes() {
    #expect(MediaType("Application/JSON;charset=utf-8").isJSON)
    #expect(MediaType("application/problem+json").isJSON)
    #expect(MediaType("text/html").isHTML)
    for none in [nil, "", "json", "/json", "a/", "a/b/c", "a b/c", ";", "application/json+x, text/html"] {
      #expect(!MediaType(none).isJSON && !MediaType(none).isHTML, "\(none ?? "nil")")
    }
  }
}
