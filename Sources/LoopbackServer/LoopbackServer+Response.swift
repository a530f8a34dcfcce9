public import Foundation

extension LoopbackServer {
  /// The response of a handler.
  ///
  /// ```swift
  /// .text("gone", status: 410)
  /// .json(#"{"count": 3}"#)
  /// .bytes(png, type: "image/png", headers: ["Cache-Control": "no-store"])
  /// .status(404)
  /// .stream(type: "text/event-stream") { writer in hub.add(writer) }
  /// .hang
  /// .truncated(body, declaring: body.count * 2, type: "application/json")
  /// ```
  public struct Response: Sendable {
    enum Content: Sendable {
      case bytes(Data)
      case stream(@Sendable (StreamWriter) -> Void)
      case hang
      case truncated(Data, declared: Int)
    }

    var status: Int
    var headers: [String: String]
    var content: Content

    /// Returns a complete response.
    public static func bytes(
      _ body: Data, type: String, status: Int = 200, headers: [String: String] = [:]
    ) -> Response {
      Response(status: status, headers: headers.adding(type: type), content: .bytes(body))
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

    /// Returns a response with a status code and no body.
    ///
    /// ```swift
    /// server.route("/jobs/7", method: .delete) { _ in .status(204) }
    /// server.route("/moved") { _ in .status(307, headers: ["Location": "/here"]) }
    /// ```
    public static func status(_ status: Int, headers: [String: String] = [:]) -> Response {
      Response(status: status, headers: headers, content: .bytes(Data()))
    }

    /// Returns a response that continues until its writer ends it, the client disconnects, or the server stops.
    ///
    /// - Parameters:
    ///   - type: The value of `Content-Type`.
    ///   - status: The status code.
    ///   - headers: Further header fields.
    ///   - start: A closure that receives the writer when the response begins. It may keep the writer and write to it later, from
    ///     any
    ///     thread. Bytes are sent only after it returns: to send more than some megabytes, start a task that calls
    ///     ``StreamWriter/writeWithBackPressure(_:)``.
    public static func stream(
      type: String, status: Int = 200, headers: [String: String] = [:],
      start: @escaping @Sendable (StreamWriter) -> Void
    ) -> Response {
      Response(status: status, headers: headers.adding(type: type), content: .stream(start))
    }

    /// No response, until the client disconnects or the server stops.
    public static let hang = Response(status: 200, headers: [:], content: .hang)

    /// Returns a truncated response: it declares a length, sends fewer bytes, and closes the connection.
    public static func truncated(
      _ body: Data, declaring length: Int, type: String, status: Int = 200, headers: [String: String] = [:]
    ) -> Response {
      Response(
        status: status, headers: headers.adding(type: type), content: .truncated(body, declared: length))
    }
  }
}

extension [String: String] {
  fileprivate func adding(type: String) -> [String: String] {
    merging(["Content-Type": type]) { given, _ in given }
  }
}
