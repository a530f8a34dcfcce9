internal import Foundation

/// A name and a password, as each request carries them (RFC 7617).
///
/// ```swift
/// configuration.authentication = .basic(user: "kiosk", password: password)
/// ```
///
/// They can be read by whoever sees the request: use it over HTTPS alone. A server that refuses them (401) is not asked
/// again.
public struct BasicAuthentication: Sendable {
  /// The field's value; nil where it cannot be made.
  private let value: String?

  /// - Parameters:
  ///   - user: The name. It has no colon, at which servers end it, and no control characters.
  ///   - password: The password, without control characters.
  public init(user: String, password: String) {
    let isSound =
      !user.utf8.contains(UInt8(ascii: ":"))
      && ![user, password].contains { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }
    value = isSound ? "Basic " + Data("\(user):\(password)".utf8).base64EncodedString() : nil
  }

  /// - Throws: ``HTTPError`` of the kind ``HTTPError/Kind/invalidRequest(_:)``.
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
