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
  public struct Request: Sendable {
    /// The method.
    public let method: Method
    /// The path, decoded, without its query.
    public let path: String
    /// The query's parameters, decoded; of several with one name the last counts.
    public let query: [String: String]
    /// The header's fields, their names in lower case.
    public let headers: [String: String]
    /// The body, empty if there is none.
    public let body: Data
  }
}
