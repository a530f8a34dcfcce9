/// Sees each attempt at a request before it goes out, and its response: adds credentials, measures, logs.
///
/// ```swift
/// struct Bearer: HTTPInterceptor {
///   let token: @Sendable () async -> String
///
///   func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse {
///     var request = request
///     request.headers["Authorization"] = "Bearer " + (await token())
///     return try await next(request)
///   }
/// }
/// ```
///
/// It may change the request, answer in its place, or call `next` more than once; a body that is no
/// ``RequestBody/isReplayable`` goes once only. Redirects are followed further inside.
public protocol HTTPInterceptor: Sendable {
  typealias Next = @Sendable (HTTPRequest) async throws(HTTPError) -> StreamedResponse

  func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse
}
