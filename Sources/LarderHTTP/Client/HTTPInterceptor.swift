/// An interceptor of attempts: it sees each request before it is sent, and the response. Uses are metrics, logs and signatures.
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
/// It may change the request, return a response of its own, or call `next` more than once; a body that is not
/// ``RequestBody/isReplayable`` can be sent only once. Redirects are followed below the interceptors, and credentials are added
/// below them (``ClientAuthentication``): no interceptor sees either.
///
/// A copy of the given request, as above, counts as the call's own, with any changes. A request that is created by
/// ``HTTPRequest/init(_:_:headers:body:name:)`` and sent elsewhere is another one: no check prevents it from repeating a
/// request of the call that was already processed (``RedirectFailure/alreadyProcessed``).
public protocol HTTPInterceptor: Sendable {
  /// The rest of the way to the server.
  typealias Next = @Sendable (HTTPRequest) async throws(HTTPError) -> StreamedResponse

  /// Sends a request, usually by `next`, and returns the response.
  ///
  /// - Parameters:
  ///   - request: The request of this attempt.
  ///   - next: Sends a request through the further interceptors to the server.
  /// - Throws: ``HTTPError``; that of `next`, or one of its own, with which the attempt fails.
  func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse
}
