internal import Foundation
internal import Synchronization

/// The redirects that a call was answered with, over all its attempts; whether it was replayed, and whose it is.
///
/// One that turns into a GET says that what was asked for was done, and where its answer is. Whoever tries again then
/// asks for the answer alone.
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

  // Of the request what is asked of it: as a whole it would hold this, by its mark.
  private let originalMethod: HTTPMethod
  private let originalURL: URL
  private let state = Mutex(Values())

  init(of request: HTTPRequest) { (originalMethod, originalURL) = (request.method, request.url) }

  /// Whether what was asked for was done, and only its answer is still to be read.
  var isCompleted: Bool { state.withLock { !$0.completedRedirects.isEmpty } }

  /// Whether a request was done that is not known for the call's own: another one of an interceptor's, or the call's own
  /// that an interceptor has sent elsewhere.
  var hasCompletedForeignRequest: Bool { state.withLock { $0.hasCompletedForeignRequest } }

  /// How many the present attempt has followed.
  var redirectCount: Int {
    get { state.withLock { $0.redirectCount } }
    set { state.withLock { $0.redirectCount = newValue } }
  }

  /// Whether the present attempt was led to another origin, which was not given the credentials.
  var hasCrossedOrigin: Bool {
    get { state.withLock { $0.hasCrossedOrigin } }
    set { state.withLock { $0.hasCrossedOrigin = newValue } }
  }

  /// A request of this call is about to be sent, and may be redirected.
  ///
  /// - Returns: The redirects by which the request was done; none where it has not been.
  func beginSending(_ request: HTTPRequest) -> [ResponseHead] {
    let done = completedRedirects(of: request)
    state.withLock { state in
      state.redirectCount = done.count
      state.hasCrossedOrigin = false
    }
    return done
  }

  /// Another attempt begins, which has no answer yet.
  func beginAttempt() { state.withLock { $0.hasResponse = false } }

  /// A request of this call was answered, by something else than a redirect.
  func recordResponse(to request: HTTPRequest, head: ResponseHead) {
    guard head.isSuccess, isOriginalRequest(request) else { return }
    state.withLock { $0.hasResponse = true }
  }

  /// Whether a request would do once more what was done: an interceptor has sent the call's own elsewhere, while the answer
  /// is still to be read where it was done. One that the interceptor has made itself is another one.
  func wouldRepeatCompletedRequest(_ other: HTTPRequest) -> Bool {
    // What asks least comes first: this is asked for each attempt.
    guard !other.isRepeatable, !other.method.isIdempotent else { return false }
    guard other.callState === self, !isOriginalRequest(other) else { return false }
    return state.withLock { !$0.completedRedirects.isEmpty && !$0.hasResponse }
  }

  /// Takes the one replay after a refusal of the credentials that a call has, over all its attempts.
  func claimReplay() -> Bool {
    state.withLock { state in
      defer { state.hasReplayed = true }
      return !state.hasReplayed
    }
  }

  /// Which user's this call is, since its first attempt.
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

  /// A request of this call was done, as the last of these says.
  func recordCompletion(of request: HTTPRequest, after heads: [ResponseHead]) {
    let isOwn = isOriginalRequest(request)
    state.withLock { state in
      if isOwn { state.completedRedirects = heads } else { state.hasCompletedForeignRequest = true }
    }
  }

  /// Whether a request is the call's own, and not one that an interceptor sends beside it. Queries are not compared, since
  /// some sign each attempt there.
  private func isOriginalRequest(_ other: HTTPRequest) -> Bool {
    guard other.method == originalMethod else { return false }
    // As it mostly is: to take both apart costs as much as to make one.
    if other.url == originalURL { return true }
    return other.url.hasSameOrigin(as: originalURL) && other.url.path() == originalURL.path()
  }
}
