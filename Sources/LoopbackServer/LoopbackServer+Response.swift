public import Foundation

extension LoopbackServer {
  /// What a handler answers.
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

    /// A whole response.
    public static func bytes(
      _ body: Data, type: String, status: Int = 200, headers: [String: String] = [:]
    ) -> Response {
      Response(status: status, headers: headers.adding(type: type), content: .bytes(body))
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

    /// A status, and nothing else.
    ///
    /// ```swift
    /// server.route("/jobs/7", method: .delete) { _ in .status(204) }
    /// server.route("/moved") { _ in .status(307, headers: ["Location": "/here"]) }
    /// ```
    public static func status(_ status: Int, headers: [String: String] = [:]) -> Response {
      Response(status: status, headers: headers, content: .bytes(Data()))
    }

    /// A response that goes on until its writer ends it, the client goes, or the server stops.
    ///
    /// - Parameters:
    ///   - type: The content's type.
    ///   - status: The status.
    ///   - headers: Further fields of the header.
    ///   - start: Receives the writer when the response begins; it may keep it and write to it later, from any thread.
    ///     Nothing is sent before it returns: what is more than some megabytes is sent by a task, with
    ///     ``StreamWriter/writeWithBackPressure(_:)``.
    public static func stream(
      type: String, status: Int = 200, headers: [String: String] = [:],
      start: @escaping @Sendable (StreamWriter) -> Void
    ) -> Response {
      Response(status: status, headers: headers.adding(type: type), content: .stream(start))
    }

    /// No answer at all, until the client gives up or the server stops.
    public static let hang = Response(status: 200, headers: [:], content: .hang)

    /// A response that breaks off: it declares a length, sends less, and closes the connection.
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
