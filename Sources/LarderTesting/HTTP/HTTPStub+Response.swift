public import Foundation

extension HTTPStub {
  /// What a handler answers.
  ///
  /// ```swift
  /// .json("[]")
  /// .text("out of order", status: 500)
  /// .bytes(png, type: "image/png", headers: ["ETag": "\"7\""])
  /// .json("[]").delayed(by: 0.5)
  /// .breakingOff(body.dropLast(20), type: "application/json")
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
    /// In seconds.
    var delay: TimeInterval = 0

    /// A whole response.
    public static func bytes(
      _ body: Data, type: String, status: Int = 200, headers: [String: String] = [:]
    ) -> Response {
      let fields = ["Content-Type": type, "Content-Length": "\(body.count)"].merging(headers) { _, given in given }
      return Response(status: status, headers: fields, body: body)
    }

    /// Text in UTF-8.
    public static func text(
      _ body: String, type: String = "text/plain; charset=utf-8", status: Int = 200, headers: [String: String] = [:]
    ) -> Response {
      .bytes(Data(body.utf8), type: type, status: status, headers: headers)
    }

    /// JSON, given as text.
    public static func json(_ body: String, status: Int = 200, headers: [String: String] = [:]) -> Response {
      .text(body, type: "application/json", status: status, headers: headers)
    }

    /// No answer, until the request is cancelled. The time-outs of a session are not kept: throw
    /// `URLError(.timedOut)` for one.
    public static let never = Response(status: 200, headers: [:], body: Data(), end: .never)

    /// A response that begins well, and fails before its end.
    ///
    /// - Parameters:
    ///   - body: What arrives of it.
    ///   - type: The content's type.
    ///   - status: Its status.
    ///   - headers: Further fields of the header.
    ///   - error: What the request fails with.
    public static func interrupted(
      _ body: Data, type: String, status: Int = 200, headers: [String: String] = [:],
      error: any Error = URLError(.networkConnectionLost)
    ) -> Response {
      var response = bytes(body, type: type, status: status, headers: headers)
      response.headers["Content-Length"] = headers["Content-Length"]
      response.end = .failure(error)
      return response
    }

    /// The same response, some time later.
    ///
    /// - Parameter seconds: How much later; what is not above 0 is no delay.
    public func delayed(by seconds: TimeInterval) -> Response {
      var response = self
      response.delay = seconds.isFinite ? max(0, seconds) : 0
      return response
    }
  }
}
