/// Which authentication a request has.
///
/// ```swift
/// let login = Endpoint<Session>.post("/v1/login", body: .json(form)).with { $0.authentication = .none }
/// ```
public enum EndpointAuthentication: Sendable {
  /// The client's (``HTTPClient/Configuration/authentication``), where the request is for the client's own origin.
  /// Another origin is not given it.
  case client
  /// None: for signing in, and for refreshing a token, which would otherwise wait for itself.
  case none
  /// Another one, wherever the request goes.
  case override(ClientAuthentication)
}
