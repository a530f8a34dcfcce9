/// A method of HTTP (RFC 9110, section 9), or any other token.
///
/// ```swift
/// var method: HTTPMethod { .post }
/// static let purge = HTTPMethod(rawValue: "PURGE")
/// ```
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
  /// The method as it is sent. Methods are case-sensitive.
  public let rawValue: String

  /// Creates a method of a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let get = HTTPMethod(rawValue: "GET")
  public static let head = HTTPMethod(rawValue: "HEAD")
  public static let post = HTTPMethod(rawValue: "POST")
  public static let put = HTTPMethod(rawValue: "PUT")
  public static let patch = HTTPMethod(rawValue: "PATCH")
  public static let delete = HTTPMethod(rawValue: "DELETE")
  public static let options = HTTPMethod(rawValue: "OPTIONS")

  /// Whether a request changes nothing on the server (RFC 9110, section 9.2.1). An unknown method is not safe.
  public var isSafe: Bool {
    switch self {
    case .get, .head, .options, HTTPMethod(rawValue: "TRACE"), HTTPMethod(rawValue: "QUERY"): true
    default: false
    }
  }

  /// Whether a request sent twice has the same effect as one sent once (RFC 9110, section 9.2.2). An unknown method is not
  /// idempotent.
  public var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}

extension HTTPMethod: CustomStringConvertible {
  public var description: String { rawValue }
}
