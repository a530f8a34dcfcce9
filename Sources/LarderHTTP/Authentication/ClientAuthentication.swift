/// The authentication of a client.
///
/// ```swift
/// configuration.authentication = .basic(user: "kiosk", password: password)
/// configuration.authentication = .bearer(BearerAuthentication(source))
/// configuration.authentication = .custom(SignedRequests(key: key))
/// ```
///
/// The credentials are added after the interceptors, to each request for the client's own origin that does not override this
/// (``EndpointAuthentication``). A request with its own `Authorization` keeps it. Redirects to another origin do not carry the
/// added fields.
///
/// The credentials are in no description and no reflection of this value.
public enum ClientAuthentication: Sendable {
  /// A name and a password (RFC 7617).
  case basic(BasicAuthentication)
  /// A token, which is refreshed when it has expired or is refused (RFC 6750).
  case bearer(BearerAuthentication)
  /// An authentication of your own.
  case custom(any RequestAuthentication)

  /// Returns basic authentication: a name and a password (RFC 7617), in UTF-8.
  ///
  /// If the name contains a colon, or either contains a control character, each request fails with
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
  /// The mirror, without children: another module's type may hold a key.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
