import Foundation
import LarderHTTP
import LarderTesting

extension Fault {
  /// An answer that redirects, and what is at the other end. 307 and 308 keep method and body, 303 says that what was asked
  /// for was done, and that the answer is elsewhere: then only that is asked for again, whatever the method was.
  static let redirects: [Fault] = [
    .redirect("307 Temporary Redirect", to: "/again", .redirect(.tooMany(limit: 10)), name: "a circle", exchanges: 11),
    .redirect(
      "308 Permanent Redirect", to: "?x", .redirect(.tooMany(limit: 10)), name: "a circle by 308", exchanges: 11),
    .redirect("307 Temporary Redirect", to: nil, .redirect(.noLocation), name: "a redirect without an address"),
    .redirect("301 Moved", to: "https://[", .redirect(.noLocation), name: "a redirect to what is no address"),
    .redirect("308 Permanent Redirect", to: "ftp://127.0.0.1/", .redirect(.noLocation), name: "a redirect out of HTTP"),
    .redirect("300 Multiple Choices", to: "/x", .unacceptableStatus(300), name: "a choice"),
    .redirect("304 Not Modified", to: "/x", .unacceptableStatus(304), name: "unchanged without a condition"),
    Fault(
      name: "a redirect to what closes", kind: .maybeSent(.closed), delivery: .maybeSent, repetition: .repeatable,
      exchanges: 2
    ) { number in
      // Each on a connection of its own: one that was kept and closes is another fault.
      number.isMultiple(of: 2)
        ? [.receiveRequest, .send(moved("307 Temporary Redirect", to: "/x", more: ["Connection: close"]))]
        : [.receiveRequest]
    },
    Fault(
      name: "a redirect to what refuses", kind: .unacceptableStatus(404), delivery: .responded, status: 404,
      repetition: .never,
      exchanges: 2
    ) { _ in
      [
        .receiveRequest, .send(moved("307 Temporary Redirect", to: "/x")), .receiveRequest,
        .send(Wire.json("{}", status: "404 Not Found")),
      ]
    },
    Fault(
      name: "a redirect to what fails", kind: .unacceptableStatus(503), delivery: .responded, status: 503,
      repetition: .repeatable,
      exchanges: 2
    ) { _ in
      [
        .receiveRequest, .send(moved("308 Permanent Redirect", to: "/x")), .receiveRequest,
        .send(Wire.json("{}", status: "503 Service Unavailable")), .restart,
      ]
    },
  ]

  static func moved(_ status: String, to location: String?, more: [String] = []) -> String {
    Wire.response("", status: status, headers: (location.map { ["Location: " + $0] } ?? []) + more)
  }

  private static func redirect(
    _ status: String, to location: String?, _ kind: HTTPError.Kind, name: String, exchanges: Int = 1
  ) -> Fault {
    Fault(
      name: name, kind: kind, delivery: .responded, status: Int(status.prefix(3)), repetition: .never,
      exchanges: exchanges
    ) { _ in [.receiveRequest, .send(moved(status, to: location)), .restart] }
  }
}
