internal import Foundation
internal import Synchronization

/// The redirects of a call over all its attempts, whether it was replayed, and the login that it belongs to.
///
/// A redirect that turns the method into GET means that the request was processed, and names the address of its result. A
/// retry then asks for the result alone.
final class CallState: Sendable {
  private struct Values {
    var completedRedirects: [ResponseHead] = []
    var hasCompletedForeignRequest = false
    var redirectCount = 0
    var hasCrossedOrigin = false
    var hasResponse = false
    var hasReplayed = false
    var loginIDs: [ObjectIdentifier: Int] = [:]
  }

  // Only the method and the URL: the whole request would retain this state through its mark, in a cycle.
  private let originalMethod: HTTPMethod
  private let originalURL: URL
  private let state = Mutex(Values())

  init(of request: HTTPRequest) { (originalMethod, originalURL) = (request.method, request.url) }

  /// Whether the request was processed, and only its result is still to be read.
  var isCompleted: Bool { state.withLock { !$0.completedRedirects.isEmpty } }

  /// Whether a request was processed that is not known as the call's own: an interceptor has made it, or has sent the call's
  /// own request elsewhere.
  var hasCompletedForeignRequest: Bool { state.withLock { $0.hasCompletedForeignRequest } }

  /// The number of redirects that the current attempt has followed.
  var redirectCount: Int {
    get { state.withLock { $0.redirectCount } }
    set { state.withLock { $0.redirectCount = newValue } }
  }

  /// Whether the current attempt was redirected to another origin, which did not receive the credentials.
  var hasCrossedOrigin: Bool {
    get { state.withLock { $0.hasCrossedOrigin } }
    set { state.withLock { $0.hasCrossedOrigin = newValue } }
  }

  /// Prepares for sending a request of this call, which may be redirected.
  ///
  /// - Returns: The redirects by which the request was processed; none if it has not been.
  func beginSending(_ request: HTTPRequest) -> [ResponseHead] {
    let done = completedRedirects(of: request)
    state.withLock { state in
      state.redirectCount = done.count
      state.hasCrossedOrigin = false
    }
    return done
  }

  /// Begins another attempt, which has no response yet.
  func beginAttempt() { state.withLock { $0.hasResponse = false } }

  /// Records the final response to a request of this call, after its redirects.
  func recordResponse(to request: HTTPRequest, head: ResponseHead) {
    guard head.isSuccess, isOriginalRequest(request) else { return }
    state.withLock { $0.hasResponse = true }
  }

  /// Returns whether a request would repeat a processed one: an interceptor has sent the call's own request elsewhere, while
  /// its result is still to be read at the first address. A request that the interceptor itself has made is another one.
  func wouldRepeatCompletedRequest(_ other: HTTPRequest) -> Bool {
    // The cheapest test first, since this runs for each attempt.
    guard !other.isRepeatable, !other.method.isIdempotent else { return false }
    guard other.callState === self, !isOriginalRequest(other) else { return false }
    return state.withLock { !$0.completedRedirects.isEmpty && !$0.hasResponse }
  }

  /// Takes the one replay that a call has after a refusal of its credentials, over all its attempts.
  func claimReplay() -> Bool {
    state.withLock { state in
      defer { state.hasReplayed = true }
      return !state.hasReplayed
    }
  }

  /// Returns the login that this call belongs to since its first attempt.
  func loginID(for bearer: BearerAuthentication) -> Int {
    state.withLock { state in
      let known = state.loginIDs[ObjectIdentifier(bearer)] ?? bearer.loginID
      state.loginIDs[ObjectIdentifier(bearer)] = known
      return known
    }
  }

  private func completedRedirects(of request: HTTPRequest) -> [ResponseHead] {
    let done = state.withLock { $0.completedRedirects }
    return !done.isEmpty && isOriginalRequest(request) ? done : []
  }

  /// Records that a request of this call was processed, as the last of the redirects shows.
  func recordCompletion(of request: HTTPRequest, after heads: [ResponseHead]) {
    let isOwn = isOriginalRequest(request)
    state.withLock { state in
      if isOwn { state.completedRedirects = heads } else { state.hasCompletedForeignRequest = true }
    }
  }

  /// Returns whether a request is the call's own, and not an additional one of an interceptor. Queries are not compared, since
  /// some interceptors sign each attempt there.
  private func isOriginalRequest(_ other: HTTPRequest) -> Bool {
    guard other.method == originalMethod else { return false }
    // The usual case first: parsing both URLs costs as much as creating one.
    if other.url == originalURL { return true }
    return other.url.hasSameOrigin(as: originalURL) && other.url.path() == originalURL.path()
  }
}
