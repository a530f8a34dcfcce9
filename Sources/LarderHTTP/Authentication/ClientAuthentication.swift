/// How a client shows who asks.
///
/// ```swift
/// configuration.authentication = .basic(user: "kiosk", password: password)
/// configuration.authentication = .bearer(BearerAuthentication(source))
/// configuration.authentication = .custom(SignedRequests(key: key))
/// ```
///
/// It is added behind the interceptors, to each request for the client's own origin that does not say otherwise
/// (``EndpointAuthentication``). A request that has an `Authorization` of its own keeps that one. A redirect to another
/// origin is not given what was added.
///
/// What it holds is in no description and no reflection of it.
public enum ClientAuthentication: Sendable {
  /// A name and a password (RFC 7617).
  case basic(BasicAuthentication)
  /// A token, which is refreshed when it has expired or is refused (RFC 6750).
  case bearer(BearerAuthentication)
  /// Anything else.
  case custom(any RequestAuthentication)

  /// A name and a password (RFC 7617), in UTF-8.
  ///
  /// Where the name has a colon in it, or either has a control character, each request fails with
  /// ``InvalidRequest/credentials``.
  public static func basic(user: String, password: String) -> ClientAuthentication {
    .basic(BasicAuthentication(user: user, password: password))
  }
}

extension ClientAuthentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    switch self {
    case .basic: "basic authentication"
    case .bearer: "bearer authentication"
    case .custom: "custom authentication"
    }
  }

  public var debugDescription: String { description }
  /// Without children: what somebody else's type holds may be a key.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
