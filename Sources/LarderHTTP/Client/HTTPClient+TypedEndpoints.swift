public import Foundation

// Functions that take an endpoint with a response type, and do not use that type: with them `client.stream(.payments())` finds
// the `.payments()` of `extension Endpoint where Response == [Payment]`, as `client.request(.payments())` does.

extension HTTPClient {
  /// Returns the whole response of an endpoint, not decoded: as ``response(to:)-(APIEndpoint)``.
  public func response<Response>(to endpoint: Endpoint<Response>) async throws(HTTPError) -> HTTPResponse {
    let plain: any APIEndpoint = endpoint
    return try await response(to: plain)
  }

  /// Returns the response of an endpoint as a stream: as ``stream(_:)-(APIEndpoint)``.
  public func stream<Response>(_ endpoint: Endpoint<Response>) async throws(HTTPError) -> StreamedResponse {
    let plain: any APIEndpoint = endpoint
    return try await stream(plain)
  }

  /// Writes the response of an endpoint to a file: as ``download(_:to:progress:)-(APIEndpoint,_,_)``.
  @discardableResult
  public func download<Response>(
    _ endpoint: Endpoint<Response>, to file: URL, progress: (@Sendable (TransferProgress) -> Void)? = nil
  ) async throws(HTTPError) -> HTTPResponse {
    let plain: any APIEndpoint = endpoint
    return try await download(plain, to: file, progress: progress)
  }

  /// Returns the response of an endpoint as a stream, unless nothing has changed: as
  /// ``stream(_:since:scope:maximumAge:)-(APIEndpoint,_,_,_)``.
  public func stream<Response>(
    _ endpoint: Endpoint<Response>, since validators: Validators?, scope: String = "",
    maximumAge: Duration = Validators.defaultMaximumAge
  ) async throws(HTTPError) -> Refreshed<StreamedResponse> {
    let plain: any APIEndpoint = endpoint
    return try await stream(plain, since: validators, scope: scope, maximumAge: maximumAge)
  }

  /// Writes the response of an endpoint to a file, unless nothing has changed: as
  /// ``download(_:to:since:scope:maximumAge:progress:)-(APIEndpoint,_,_,_,_,_)``.
  public func download<Response>(
    _ endpoint: Endpoint<Response>, to file: URL, since validators: Validators?, scope: String = "",
    maximumAge: Duration = Validators.defaultMaximumAge, progress: (@Sendable (TransferProgress) -> Void)? = nil
  ) async throws(HTTPError) -> Refreshed<HTTPResponse> {
    let plain: any APIEndpoint = endpoint
    return try await download(
      plain, to: file, since: validators, scope: scope, maximumAge: maximumAge, progress: progress)
  }
}
