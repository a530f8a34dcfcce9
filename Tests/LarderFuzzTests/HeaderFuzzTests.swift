import DurabilityWork
import Foundation
import Testing

@testable import LarderHTTP

/// What a server sends, as the client reads it: fields, bodies of problems, and heads as they come in lines.
///
/// None of it may fail otherwise than by being none, and what is taken must hold what it promises.
@Suite(.serialized) struct HeaderFuzzTests {
  /// The whole of each, which `LARDER_SIZE=100` runs.
  private static let whole = 1_000_000
  private static let few = 5_000
  private static let now = Date(timeIntervalSince1970: 784_111_777)
  private static let base = URL(string: "https://api.example/v1/items?page=2")!

  /// - Parameter read: Whether the bytes were taken for what they may be.
  private func fuzz(_ name: String, _ well: [String], _ read: ([UInt8]) -> Bool) {
    let rounds = Share.rounds(of: Self.whole, atLeast: Self.few)
    let guarded = Rounds(name, rounds)
    defer { guarded.end() }
    let well = well.map { Array($0.utf8) }
    var taken = 0
    for round in 0..<rounds {
      guarded.begin(round)
      var random = SeededGenerator(seed: Share.seed, round)
      if read(Mutation.of(well[Int.random(in: 0..<well.count, using: &random)], well, &random)) { taken += 1 }
    }
    print("seed \(Share.seed): \(taken) of \(rounds) were taken for \(name)")
    #expect(taken > 0 && taken < rounds, "\(name), seed \(Share.seed)")
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func waits() {
    fuzz("waits", ["120", "Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT", "0", "99999999999"]) {
      let wait = RetryAfter.duration(ofField: text($0), now: Self.now)
      #expect(wait.map { (.zero...RetryAfter.maximumDuration).contains($0) } ?? true, "seed \(Share.seed): \($0)")
      return wait != nil
    }
  }

  @Test func rateLimits() {
    let well = [
      "\"default\";r=0;t=12", "\"burst\";r=3;t=1, \"daily\";r=0;t=600", "limit=10, remaining=0;reset=4", "30",
    ]
    fuzz("rate limits", well) { bytes in
      var headers: HTTPHeaders = ["RateLimit": text(bytes), "X-RateLimit-Remaining": "0"]
      headers.add(text(bytes), for: "X-RateLimit-Reset")
      headers.add(text(bytes), for: "Retry-After")
      let wait = RetryAfter(headers: headers, now: Self.now)
      #expect(
        wait.map { (.zero...RetryAfter.maximumDuration).contains($0.duration) } ?? true, "seed \(Share.seed): \(bytes)")
      return wait != nil
    }
  }

  @Test func dates() {
    let well = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
    fuzz("dates", well) { bytes in
      guard let date = HTTPDate.date(text(bytes), now: Self.now) else { return false }
      // What is taken can be written, and is read again as it was.
      #expect(HTTPDate.date(HTTPDate.text(date), now: Self.now) == date, "seed \(Share.seed): \(bytes)")
      return true
    }
  }

  @Test func links() {
    let well = [
      "<https://api.example/v1/items?page=3>; rel=\"next\", </v1/items?page=9>; rel=last; title=\"a, b; \\\"c\\\"\"",
      "<?page=3>;rel=next;title*=UTF-8'de'n%c3%a4chste;anchor=\"#x\"", "<a>; rel=\"first next\" , <../b>;rel=prev, ,",
    ]
    fuzz("links", well) { bytes in
      let links = LinkHeader(text(bytes), relativeTo: Self.base)
      for link in links {
        _ = link.title
        // Of what stands there, each may be read alone.
        #expect(URL(string: link.target.absoluteString) != nil, "seed \(Share.seed): \(bytes)")
        #expect(link.relations.allSatisfy { !$0.isEmpty }, "seed \(Share.seed): \(bytes)")
      }
      return links["next"] != nil
    }
  }

  @Test func locations() {
    let well = [
      "https://other.example:8443/a/b?c=d#e", "//other.example/x", "/v1/items?page=3", "../a/./b/../c", "?q=1", "#f",
      "",
      "http://[::1]:80/", "a b\u{E4}",
    ]
    fuzz("locations", well) { bytes in
      guard let url = URLReference.httpURL(text(bytes), from: Self.base) else { return false }
      #expect(URLBuilder.isHTTP(url) && url.fragment() == nil, "seed \(Share.seed): \(bytes)")
      // It is sent as it stands, in one line.
      let isVisible = url.absoluteString.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
      #expect(isVisible, "seed \(Share.seed): \(bytes)")
      return true
    }
  }

  @Test func entityTags() {
    fuzz("entity tags", ["\"xyzzy\"", "W/\"xyzzy\"", "\"\"", " W/\"a b\" "]) { bytes in
      guard let tag = EntityTag(text(bytes)) else { return false }
      #expect(EntityTag(tag.description) == tag && tag.weaklyMatches(tag), "seed \(Share.seed): \(bytes)")
      #expect(HTTPHeaders.isValidValue(tag.description), "seed \(Share.seed): \(bytes)")
      return true
    }
  }

  @Test func mediaTypes() {
    let well = [
      "application/json; charset=utf-8", "text/html", "application/problem+json", "application/xhtml+xml;a=b",
    ]
    fuzz("media types", well) { bytes in
      let type = MediaType(text(bytes))
      #expect(!(type.isJSON && type.isHTML), "seed \(Share.seed): \(bytes)")
      return type.isJSON || type.isHTML
    }
  }

  @Test func problems() {
    let well = [
      #"{"type":"https://e.org/p","title":"a","status":403,"detail":"d","instance":"/i","balance":30,"x":[1,{"y":null}]}"#,
      #"{"errors":{"amount":["is too small"],"name":"is missing"}}"#,
      #"{"errors":[{"pointer":"/a","detail":"x"},{"field":"b","message":"y"}],"ok":false}"#,
    ]
    fuzz("problems", well) { bytes in
      guard let problem = ProblemDetails(json: Data(bytes)) else { return false }
      #expect(problem.status.map { (100..<600).contains($0) } ?? true, "seed \(Share.seed): \(bytes)")
      #expect(problem.fieldMessages.values.allSatisfy { !$0.isEmpty }, "seed \(Share.seed): \(bytes)")
      return true
    }
  }

  @Test func heads() {
    let well = [
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\nETag: \"1\"\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5, 5\r\nContent-Length: 5\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/2 204 \r\nLink: <a>;\r\n rel=next\r\n\r\nTrailer: 1\r\n\r\n",
    ]
    fuzz("heads", well) { bytes in
      var arriving = ResponseHeadParser()
      var isTaken = false
      // As libcurl gives them: a line at a time, with its end.
      for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
        guard let head = (line + [0x0A]).withUnsafeBytes({ arriving.append($0) }) else { continue }
        let headers = head.headers
        #expect(!isTaken && (200...999).contains(head.status), "seed \(Share.seed): \(bytes)")
        // What the transport reads for itself is what everybody else does.
        if !head.framing.isAmbiguous {
          let length = headers["Content-Length"].flatMap {
            ASCIIText.number(ASCIIText.trimmed($0.prefix { $0 != "," }))
          }
          #expect(head.framing.length == (head.framing.isChunked ? nil : length), "seed \(Share.seed): \(bytes)")
          #expect(
            head.framing.isChunked
              == headers.values(for: "Transfer-Encoding").contains { $0.lowercased() == "chunked" },
            "seed \(Share.seed): \(bytes)")
        }
        #expect(head.isEncoded == (headers["Content-Encoding"] != nil), "seed \(Share.seed): \(bytes)")
        // Names can be compared and sent again; values stay in their line.
        #expect(headers.fields.allSatisfy { !$0.name.isEmpty && $0.name.utf8.allSatisfy(ASCIIText.isToken) })
        isTaken = true
      }
      return isTaken
    }
  }
}
