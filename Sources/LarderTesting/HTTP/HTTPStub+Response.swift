public import Foundation

extension HTTPStub {
  /// The response of a handler.
  ///
  /// ```swift
  /// .json("[]")
  /// .text("out of order", status: 500)
  /// .bytes(png, type: "image/png", headers: ["ETag": "\"7\""])
  /// .json("[]").delayed(by: 0.5)
  /// .interrupted(body.dropLast(20), type: "application/json")
  /// .never
  /// ```
  public struct Response: Sendable {
    enum End: Sendable {
      case whole
      case failure(any Error)
      case never
    }

    var status: Int
    var headers: [String: String]
    var body: Data
    var end = End.whole
    /// The delay in seconds.
    var delay: TimeInterval = 0

    /// Returns a complete response.
    public static func bytes(
      _ body: Data, type: String, status: Int = 200, headers: [String: String] = [:]
    ) -> Response {
      let fields = ["Content-Type": type, "Content-Length": "\(body.count)"].merging(headers) { _, given in given }
      return Response(status: status, headers: fields, body: body)
    }

    /// Returns a response with text in UTF-8.
    public static func text(
      _ body: String, type: String = "text/plain; charset=utf-8", status: Int = 200, headers: [String: String] = [:]
    ) -> Response {
      .bytes(Data(body.utf8), type: type, status: status, headers: headers)
    }

    /// Returns a response with JSON text.
    public static func json(_ body: String, status: Int = 200, headers: [String: String] = [:]) -> Response {
      .text(body, type: "application/json", status: status, headers: headers)
    }

    /// No response, until the request is cancelled. The session's time-outs do not apply: throw `URLError(.timedOut)` from the
    /// handler
    /// to simulate one.
    public static let never = Response(status: 200, headers: [:], body: Data(), end: .never)

    /// Returns a response that begins normally, and fails before its end.
    ///
    /// - Parameters:
    ///   - body: The part of the body that arrives.
    ///   - type: The value of `Content-Type`.
    ///   - status: The status code.
    ///   - headers: Further header fields.
    ///   - error: The error of the request.
    public static func interrupted(
      _ body: Data, type: String, status: Int = 200, headers: [String: String] = [:],
      error: any Error = URLError(.networkConnectionLost)
    ) -> Response {
      var response = bytes(body, type: type, status: status, headers: headers)
      response.headers["Content-Length"] = headers["Content-Length"]
      response.end = .failure(error)
      return response
    }

    /// Returns the same response with a delay.
    ///
    /// - Parameter seconds: The delay. Values of 0 or less are no delay.
    public func delayed(by seconds: TimeInterval) -> Response {
      var response = self
      response.delay = seconds.isFinite ? max(0, seconds) : 0
      return response
    }
  }
}
