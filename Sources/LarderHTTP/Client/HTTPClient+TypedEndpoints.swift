public import Foundation

// What is asked of an endpoint that knows its answer, and does not need it: so that `client.stream(.payments())` finds the
// `.payments()` of `extension Endpoint where Response == [Payment]`, as `client.request(.payments())` does.

extension HTTPClient {
  /// The whole response of an endpoint, not decoded: as ``response(to:)-(APIEndpoint)``.
  public func response<Response>(to endpoint: Endpoint<Response>) async throws(HTTPError) -> HTTPResponse {
    let plain: any APIEndpoint = endpoint
    return try await response(to: plain)
  }

  /// The response to an endpoint, its body as it comes: as ``stream(_:)-(APIEndpoint)``.
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
}
