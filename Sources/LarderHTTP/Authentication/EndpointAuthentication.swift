/// The authentication of one endpoint's requests.
///
/// ```swift
/// let login = Endpoint<Session>.post("/v1/login", body: .json(form)).with { $0.authentication = .none }
/// ```
public enum EndpointAuthentication: Sendable {
  /// The client's (``HTTPClient/Configuration/authentication``), for requests to the client's own origin. Another origin does
  /// not receive its credentials.
  case client
  /// No authentication: for sign-in, and for refreshing a token, which would otherwise wait for itself.
  case none
  /// Another authentication, for any destination.
  case override(ClientAuthentication)
}
