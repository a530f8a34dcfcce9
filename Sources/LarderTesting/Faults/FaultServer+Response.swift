public import Foundation

extension FaultServer {
  /// The response of a working server, which a fault may change.
  ///
  /// ```swift
  /// .json(#"[{"id": 1}]"#, headers: ["Link": "</items?page=2>; rel=\"next\""])
  /// .status(204)
  /// ```
  public struct Response: Sendable, Hashable {
    public var status: Int
    /// Header fields in addition to `Content-Length`, `Date` and `Connection`, which the server writes.
    public var headers: [String: String]
    public var body: Data

    /// Creates a response.
    public init(status: Int = 200, headers: [String: String] = [:], body: Data = Data()) {
      self.status = status
      self.headers = headers
      self.body = body
    }

    /// Returns a response with JSON text.
    public static func json(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> Response {
      .text(text, type: "application/json", status: status, headers: headers)
    }

    /// Returns a response with text in UTF-8.
    public static func text(
      _ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200, headers: [String: String] = [:]
    ) -> Response {
      Response(
        status: status, headers: headers.merging(["Content-Type": type]) { given, _ in given }, body: Data(text.utf8))
    }

    /// Returns a response with a status code and no body.
    public static func status(_ status: Int, headers: [String: String] = [:]) -> Response {
      Response(status: status, headers: headers)
    }
  }
}

extension FaultServer.Response {
  private static let reasonPhrases = [
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 302: "Found", 304: "Not Modified",
    307: "Temporary Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    409: "Conflict", 410: "Gone", 412: "Precondition Failed", 422: "Unprocessable Content", 429: "Too Many Requests",
    500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
  ]

  /// Returns the status line and the header fields, up to and including the empty line.
  ///
  /// - Parameter length: The value of `Content-Length`; `nil` for the body's length.
  func head(length: Int? = nil, date: Date) -> Data {
    var lines = [
      "HTTP/1.1 \(status) \(Self.reasonPhrases[status] ?? "Status")", "Date: \(HTTPDateFormatter.text(date))",
    ]
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) { lines.append("\(name): \(value)") }
    if status != 204, status != 304 { lines.append("Content-Length: \(length ?? body.count)") }
    return Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// Returns the value of a field. The case of its name is ignored.
  func header(_ name: String) -> String? { headers.first { $0.key.lowercased() == name.lowercased() }?.value }

  /// Returns a copy with one field replaced.
  func withHeader(_ name: String, _ value: String?) -> Self {
    var changed = self
    for key in headers.keys where key.lowercased() == name.lowercased() { changed.headers[key] = nil }
    if let value { changed.headers[name] = value }
    return changed
  }
}

/// The date format of `Date` and `Retry-After` (RFC 9110, section 5.6.7).
enum HTTPDateFormatter {
  static func text(_ date: Date) -> String {
    let parts = Calendar(identifier: .gregorian).dateComponents(
      in: TimeZone(secondsFromGMT: 0) ?? .gmt, from: date)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    func two(_ number: Int?) -> String { String(100 + (number ?? 0)).suffix(2).description }
    return "\(days[((parts.weekday ?? 1) - 1) % 7]), \(two(parts.day)) \(months[((parts.month ?? 1) - 1) % 12]) "
      + "\(parts.year ?? 1970) \(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) GMT"
  }
}
