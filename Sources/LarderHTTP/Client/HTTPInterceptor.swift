/// Sees each attempt at a request before it goes out, and its response: measures, logs, signs.
///
/// ```swift
/// struct Tracing: HTTPInterceptor {
///   let trace: @Sendable () -> String
///
///   func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse {
///     var request = request
///     request.headers["Traceparent"] = trace()
///     return try await next(request)
///   }
/// }
/// ```
///
/// It may change the request, answer in its place, or call `next` more than once; a body that is no
/// ``RequestBody/isReplayable`` goes once only. Redirects are followed further inside, and there
/// credentials are added (``ClientAuthentication``), which no interceptor sees.
///
/// A copy of the request that is given, as above, is the call's own, however it is changed. One that is made by
/// ``HTTPRequest/init(_:_:headers:body:name:)`` and sent elsewhere is another one: nothing keeps it from doing twice what
/// the call's own has done by then (``RedirectFailure/alreadyProcessed``).
public protocol HTTPInterceptor: Sendable {
  typealias Next = @Sendable (HTTPRequest) async throws(HTTPError) -> StreamedResponse

  func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse
}
