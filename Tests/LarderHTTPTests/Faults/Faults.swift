import Foundation
import LarderHTTP
import LarderTesting

extension Fault {
  /// When the tests' clock stands.
  static let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

  static let all: [Fault] = connections + answers + damage + statuses + limits + redirects

  /// The connection fails before any answer.
  private static let connections: [Fault] = [
    Fault(
      name: "closed before the request is read", kind: .maybeSent(.closed), delivery: .maybeSent,
      repetition: .repeatable,
      isSeen: false
    ) { _ in [] },
    Fault(
      name: "closed after the header", kind: .maybeSent(.closed), delivery: .maybeSent, repetition: .repeatable
    ) { _ in [.receiveHead] },
    Fault(
      name: "closed after the request", kind: .maybeSent(.closed), delivery: .maybeSent, repetition: .repeatable
    ) { _ in [.receiveRequest] },
    Fault(
      name: "reset after the request", kind: .maybeSent(.closed), delivery: .maybeSent, repetition: .repeatable
    ) { _ in [.receiveRequest, .reset] },
    Fault(
      name: "silent after the request", kind: .deadline(.firstByte), delivery: .maybeSent, repetition: .repeatable
    ) { _ in [.receiveRequest, .stall] },
    Fault(
      name: "silent from the beginning", kind: .deadline(.firstByte), delivery: .maybeSent, repetition: .repeatable,
      isSeen: false
    ) { _ in [.stall] },
  ]

  /// The answer breaks off.
  private static let answers: [Fault] = [
    Fault(
      name: "closed within the status", kind: .maybeSent(.closed), delivery: .maybeSent, repetition: .repeatable
    ) { _ in [.receiveRequest, .send("HTTP/1.1 20")] },
    Fault(
      name: "closed within the header", kind: .maybeSent(.closed), delivery: .maybeSent, repetition: .repeatable
    ) { _ in [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")] },
    Fault(
      name: "closed before the body", kind: .interrupted(.truncated), delivery: .responded, status: 200,
      repetition: .repeatable
    ) { _ in [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")] },
    Fault(
      name: "closed within the body", kind: .interrupted(.truncated), delivery: .responded, status: 201,
      repetition: .repeatable
    ) { _ in [.receiveRequest, .send("HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\n[\"a\"")] },
    Fault(
      name: "reset within the body", kind: .interrupted(.truncated), delivery: .responded, status: 200,
      repetition: .repeatable
    ) { _ in
      [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[\"a\""), .wait(.milliseconds(30)), .reset]
    },
    Fault(
      name: "closed within a chunk", kind: .interrupted(.truncated), delivery: .responded, status: 200,
      repetition: .repeatable
    ) { _ in [.receiveRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n[]")] },
    Fault(
      name: "closed before the last chunk", kind: .interrupted(.truncated), delivery: .responded, status: 200,
      repetition: .repeatable
    ) { _ in [.receiveRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n")] },
    Fault(
      name: "silent within the header", kind: .deadline(.idle), delivery: .maybeSent, repetition: .repeatable
    ) { _ in [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"), .stall] },
    Fault(
      name: "silent within the body", kind: .deadline(.idle), delivery: .responded, status: 200, repetition: .repeatable
    ) { _ in [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[\"a"), .stall] },
    Fault(
      name: "dripping for too long", kind: .deadline(.total), delivery: .responded, status: 200, repetition: .never,
      total: .milliseconds(1_500)
    ) { _ in
      [
        .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
        .drip(Data(repeating: 0x20, count: 1_000), portion: 1, pause: .milliseconds(20)),
      ]
    },
  ]

  /// The answer is whole, and cannot be read.
  private static let damage: [Fault] = [
    Fault(name: "no HTTP", kind: .maybeSent(.malformed), delivery: .maybeSent, repetition: .repeatable) { _ in
      [.receiveRequest, .send("220 mail.example.org ESMTP\r\n250 ok\r\n")]
    },
    Fault(
      name: "damaged compression", kind: .interrupted(.compression), delivery: .responded, status: 200,
      repetition: .repeatable
    ) { _ in [.receiveRequest, .send(Wire.json("this is no gzip", headers: ["Content-Encoding: gzip"])), .restart] },
    Fault(
      name: "compression that breaks off", kind: .interrupted(.compression), delivery: .responded, status: 200,
      repetition: .repeatable
    ) { _ in
      // The length is right.
      let whole = GzipEncoder.gzip(Data(#"["whole"]"#.utf8))
      return [
        .receiveRequest,
        .send(
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: \(whole.count - 12)\r\n\r\n"
        ),
        .sendData(whole.dropLast(12)), .restart,
      ]
    },
    Fault(
      name: "a portal's page", kind: .notJSON(mediaType: "text/html"), delivery: .responded, status: 200,
      repetition: .never
    ) { _ in
      [.receiveRequest, .send(Wire.response("<html>Sign in</html>", type: "text/html; charset=utf-8")), .restart]
    },
    Fault(
      name: "a page that calls itself nothing", kind: .notJSON(mediaType: nil), delivery: .responded, status: 200,
      repetition: .never
    ) { _ in [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>"), .restart] },
    Fault(
      name: "JSON of another type", kind: .undecodable(path: "[1]"), delivery: .responded, status: 200,
      repetition: .never
    ) { _ in [.receiveRequest, .send(Wire.json(#"["a", 1]"#)), .restart] },
    Fault(
      name: "JSON that breaks off", kind: .notJSON(mediaType: "application/json"), delivery: .responded, status: 200,
      repetition: .never
    ) { _ in [.receiveRequest, .send(Wire.json(#"["a","#)), .restart] },
  ]

  private static let statuses: [Fault] = [
    .status(400, repetition: .never), .status(401, kind: .unauthorized, repetition: .never),
    .status(403, repetition: .never), .status(404, repetition: .never), .status(405, repetition: .never),
    .status(408, repetition: .always), .status(409, repetition: .never), .status(410, repetition: .never),
    .status(412, repetition: .never), .status(413, repetition: .never), .status(415, repetition: .never),
    .status(422, repetition: .never), .status(425, repetition: .always), .status(426, repetition: .never),
    .status(428, repetition: .never), .status(500, repetition: .repeatable), .status(501, repetition: .never),
    .status(502, repetition: .repeatable), .status(503, repetition: .repeatable), .status(504, repetition: .repeatable),
    .status(429, kind: .rateLimited(until: nil), repetition: .always, name: "429 without a time"),
    .status(
      429, kind: .rateLimited(until: now + 7), repetition: .always, headers: ["Retry-After: 7"],
      waits: [.milliseconds(7_250), .milliseconds(7_500)], name: "429 with seconds"),
    .status(
      429, kind: .rateLimited(until: now + 5), repetition: .always,
      headers: ["Retry-After: Sun, 06 Nov 1994 08:49:42 GMT"], waits: [.milliseconds(5_250), .milliseconds(5_500)],
      name: "429 with a date"),
    .status(
      429, kind: .rateLimited(until: now), repetition: .always, headers: ["Retry-After: Sat, 05 Nov 1994 08:49:42 GMT"],
      name: "429 with a date that has passed"),
    .status(
      429, kind: .rateLimited(until: nil), repetition: .always, headers: ["Retry-After: soon"],
      name: "429 with nonsense"),
    .status(
      429, kind: .rateLimited(until: now + 3_600), repetition: .never, headers: ["Retry-After: 3600"],
      name: "429 for an hour"),
    .status(
      503, kind: .rateLimited(until: now + 3), repetition: .repeatable, headers: ["Retry-After: 3"],
      waits: [.milliseconds(3_250), .milliseconds(3_500)], name: "503 with seconds"),
    .status(
      403, kind: .rateLimited(until: now + 4), repetition: .repeatable,
      headers: ["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 784111781"],
      waits: [.milliseconds(4_250), .milliseconds(4_500)], name: "403 of a rate limit"),
  ]

  /// The answer is more than was allowed.
  /// Not as Data, whose storage the leak sanitizer does not find in a global.
  private static let bomb = Array(GzipEncoder.gzip(zeros: 1_000_000))

  private static let limits: [Fault] = [
    Fault(
      name: "a length beyond the limit", kind: .tooLarge(.body(limit: 10_000)), delivery: .responded, status: 200,
      repetition: .never
    ) { _ in [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10001\r\n\r\n"), .stall] },
    Fault(
      name: "chunks beyond the limit", kind: .tooLarge(.body(limit: 10_000)), delivery: .responded, status: 200,
      repetition: .never
    ) { _ in
      [
        .receiveRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3000\r\n"),
        .sendData(Data(repeating: 0x20, count: 0x3000)), .send("\r\n0\r\n\r\n"), .stall,
      ]
    },
    Fault(
      name: "a compressed bomb", kind: .tooLarge(.decompressedBody(limit: 50_000)), delivery: .responded, status: 200,
      repetition: .never
    ) { _ in
      [
        .receiveRequest,
        .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"),
        .sendData(Data(bomb)),
        .stall,
      ]
    },
    Fault(
      name: "a header beyond the limit", kind: .tooLarge(.headers(limit: 4_000)), delivery: .responded,
      repetition: .never
    ) { _ in
      [
        .receiveRequest,
        .send("HTTP/1.1 200 OK\r\n" + String(repeating: "X-Y: \(String(repeating: "z", count: 90))\r\n", count: 50)),
        .stall,
      ]
    },
    Fault(
      name: "a line of a header beyond libcurl's limit", kind: .tooLarge(.headers(limit: 4_000)), delivery: .maybeSent,
      repetition: .never
    ) { _ in
      [
        .receiveRequest,
        .send("HTTP/1.1 200 OK\r\nWWW-Authenticate: Bearer realm=\"\(String(repeating: "z", count: 200_000))\"\r\n"),
        .stall,
      ]
    },
    Fault(
      name: "interim answers without end", kind: .tooLarge(.headers(limit: 4_000)), delivery: .responded,
      repetition: .never
    ) { _ in
      [.receiveRequest, .send(String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 200)), .stall]
    },
  ]
}
