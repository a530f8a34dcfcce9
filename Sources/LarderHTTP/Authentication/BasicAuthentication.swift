internal import Foundation

/// Basic credentials: a user name and a password, sent with each request (RFC 7617).
///
/// ```swift
/// configuration.authentication = .basic(user: "kiosk", password: password)
/// ```
///
/// Every party that reads the request can read the credentials: use them over HTTPS alone. After a refusal (401), the same
/// credentials are not sent again.
public struct BasicAuthentication: Sendable {
  /// The value of the `Authorization` field; nil where the name or the password is invalid.
  private let value: String?

  /// Creates basic credentials. Invalid ones make each request fail with ``InvalidRequest/credentials``.
  ///
  /// - Parameters:
  ///   - user: The name, without control characters and without a colon, at which servers end it.
  ///   - password: The password, without control characters.
  public init(user: String, password: String) {
    let isSound =
      !user.utf8.contains(UInt8(ascii: ":"))
      && ![user, password].contains { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }
    value = isSound ? "Basic " + Data("\(user):\(password)".utf8).base64EncodedString() : nil
  }

  /// Adds the credentials to a request that has no `Authorization` field.
  ///
  /// - Throws: ``HTTPError`` of the kind ``HTTPError/Kind/invalidRequest(_:)`` where the name or the password is invalid.
  func authorize(_ request: inout HTTPRequest) throws(HTTPError) {
    guard let value else { throw HTTPError(.invalidRequest(.credentials), delivery: .notSent) }
    if request.headers["Authorization"] == nil { request.headers["Authorization"] = value }
  }
}

extension BasicAuthentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "BasicAuthentication(<private>)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
