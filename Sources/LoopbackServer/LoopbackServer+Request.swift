public import Foundation

extension LoopbackServer {
  /// A method of HTTP.
  public enum Method: String, Hashable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// A request as a handler sees it.
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
    /// The path, decoded, without its query; by it a route is found.
    public let path: String
    /// The query's items, decoded, in the order in which they were sent. Names may be repeated; one without `=` has no value.
    public let queryItems: [URLQueryItem]
    /// The header's fields, their names in lower case.
    public let headers: [String: String]
    /// The body, empty if there is none.
    public let body: Data

    /// The path as it was sent, without its query: in it `%2F` can be told from `/`.
    public var encodedPath: String { String(target.prefix { $0 != "?" }) }
    /// The query's parameters, decoded; of several with one name the last counts.
    public var query: [String: String] {
      Dictionary(queryItems.map { ($0.name, $0.value ?? "") }) { _, last in last }
    }
  }
}
