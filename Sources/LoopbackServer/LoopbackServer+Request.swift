public import Foundation

extension LoopbackServer {
  /// An HTTP method.
  public enum Method: String, Hashable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// A request, as passed to a handler.
  ///
  /// ```swift
  /// server.route("/files/*") { request in
  ///   // "/files/a%2Fb" is one file, "/files/a/b" is another: both have the path "/files/a/b".
  ///   let tags = request.queryItems.filter { $0.name == "tag" }.map(\.value)
  ///   return files[request.encodedPath, tags].map { .text($0) } ?? .status(404)
  /// }
  /// ```
  public struct Request: Sendable {
    /// The method.
    public let method: Method
    /// Path and query, as they were sent.
    public let target: String
    /// The decoded path, without its query. It determines the route.
    public let path: String
    /// The decoded items of the query, in the order in which they were sent. Names may be repeated; an item without `=` has no
    /// value.
    public let queryItems: [URLQueryItem]
    /// The header fields. Names are in lower case.
    public let headers: [String: String]
    /// The body, empty if there is none.
    public let body: Data

    /// The path as it was sent, without its query. It distinguishes `%2F` from `/`.
    public var encodedPath: String { String(target.prefix { $0 != "?" }) }
    /// The decoded parameters of the query; of several with one name the last counts.
    public var query: [String: String] {
      Dictionary(queryItems.map { ($0.name, $0.value ?? "") }) { _, last in last }
    }
  }
}
