import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// A fault, and what has to come of it, by what may be done with the request.
struct Fault: Sendable, CustomTestStringConvertible {
  /// A fault and a method.
  struct Row: Sendable, CustomTestStringConvertible {
    var fault: Fault
    var request: Request
    var attempts: Int
    var testDescription: String { "\(fault.name), \(request)" }
  }

  /// What is asked, and whether it may be asked again.
  enum Request: String, CaseIterable, Sendable {
    case get = "GET"
    case put = "PUT"
    case delete = "DELETE"
    case post = "POST"
    case patch = "PATCH"
    case keyedPost = "POST with a key"

    var endpoint: Endpoint<[String]> {
      let body = RequestBody.json(["amount": "12.00"])
      return switch self {
      case .get: .get("/v1/payments/\("7")")
      case .put: .put("/v1/payments/\("7")", body: body)
      case .delete: .delete("/v1/payments/\("7")")
      case .post: .post("/v1/payments", body: body)
      case .patch: .patch("/v1/payments/\("7")", body: body)
      case .keyedPost: .post("/v1/payments", body: body).with { $0.idempotencyKey = "key-1" }
      }
    }
  }

  /// How often a request is sent: whatever it is, only if it may be repeated, or once.
  enum Repetition: Sendable {
    case always, repeatable, never

    func allows(_ request: Request) -> Bool {
      switch self {
      case .always: true
      case .repeatable: request != .post && request != .patch
      case .never: false
      }
    }
  }

  var name: String
  var kind: HTTPError.Kind
  var delivery: HTTPError.Delivery
  var status: Int?
  var repetition: Repetition
  /// How long the waits are, with half of what is drawn.
  var waits: [Duration] = [.milliseconds(250), .milliseconds(500)]
  /// How long all of it may take.
  var total = Duration.seconds(900)
  /// Whether the server reads whole requests.
  var isSeen = true
  /// How many of them an attempt is, with those that it is redirected to.
  var exchanges = 1
  var script: @Sendable (Int) -> [ScriptedServer.Step]

  var testDescription: String { name }

  /// Short where the fault is to pass it, and longer than anything takes where it is not.
  var deadlines: Deadlines {
    let long = Duration.seconds(60)
    let short = Duration.milliseconds(150)
    return Deadlines(
      connect: long, firstByte: kind == .deadline(.firstByte) ? short : long,
      idle: kind == .deadline(.idle) ? short : long, total: total)
  }

  var rows: [Row] {
    Request.allCases.map { Row(fault: self, request: $0, attempts: repetition.allows($0) ? 1 + waits.count : 1) }
  }

  /// A refusal by a status.
  static func status(
    _ status: Int, _ reason: String = "No", kind: HTTPError.Kind? = nil, repetition: Repetition, headers: [String] = [],
    waits: [Duration] = [.milliseconds(250), .milliseconds(500)], name: String? = nil
  ) -> Fault {
    Fault(
      name: name ?? "status \(status)", kind: kind ?? .unacceptableStatus(status), delivery: .responded, status: status,
      repetition: repetition, waits: waits
    ) { _ in
      [.receiveRequest, .send(Wire.json("{}", status: "\(status) \(reason)", headers: headers)), .restart]
    }
  }
}
