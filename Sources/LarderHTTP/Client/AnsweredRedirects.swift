internal import Foundation
internal import Synchronization

/// The redirects that a call was answered with, over all its attempts; whether it was replayed, and whose it is.
///
/// One that turns into a GET says that what was asked for was done, and where its answer is. Whoever tries again then
/// asks for the answer alone.
final class AnsweredRedirects: Sendable {
  private struct State {
    var done: [ResponseHead] = []
    var hasDoneAnother = false
    var followed = 0
    var hasLeftOrigin = false
    var isAnswered = false
    var isReplayed = false
    var sessions: [ObjectIdentifier: Int] = [:]
  }

  // Of the request what is asked of it: as a whole it would hold this, by its mark.
  private let method: HTTPMethod
  private let url: URL
  private let state = Mutex(State())

  init(of request: HTTPRequest) { (method, url) = (request.method, request.url) }

  /// Whether what was asked for was done, and only its answer is still to be read.
  var isDone: Bool { state.withLock { !$0.done.isEmpty } }

  /// Whether a request was done that is not known for the call's own: another one of an interceptor's, or the call's own
  /// that an interceptor has sent elsewhere.
  var hasDoneAnother: Bool { state.withLock { $0.hasDoneAnother } }

  /// How many the present attempt has followed.
  var followed: Int {
    get { state.withLock { $0.followed } }
    set { state.withLock { $0.followed = newValue } }
  }

  /// Whether the present attempt was led to another origin, which was not given the credentials.
  var hasLeftOrigin: Bool {
    get { state.withLock { $0.hasLeftOrigin } }
    set { state.withLock { $0.hasLeftOrigin = newValue } }
  }

  /// A request of this call is about to be sent, and may be redirected.
  ///
  /// - Returns: The redirects by which the request was done; none where it has not been.
  func beginSending(_ request: HTTPRequest) -> [ResponseHead] {
    let done = done(of: request)
    state.withLock { state in
      state.followed = done.count
      state.hasLeftOrigin = false
    }
    return done
  }

  /// Another attempt begins, which has no answer yet.
  func beginAttempt() { state.withLock { $0.isAnswered = false } }

  /// A request of this call was answered, by something else than a redirect.
  func wasAnswered(_ request: HTTPRequest, by head: ResponseHead) {
    guard head.isSuccess, isOwn(request) else { return }
    state.withLock { $0.isAnswered = true }
  }

  /// Whether a request would do once more what was done: an interceptor has sent the call's own elsewhere, while the answer
  /// is still to be read where it was done. One that the interceptor has made itself is another one.
  func repeats(_ other: HTTPRequest) -> Bool {
    // What asks least comes first: this is asked for each attempt.
    guard !other.isRepeatable, !other.method.isIdempotent else { return false }
    guard other.mark === self, !isOwn(other) else { return false }
    return state.withLock { !$0.done.isEmpty && !$0.isAnswered }
  }

  /// Takes the one replay after a refusal of the credentials that a call has, over all its attempts.
  func takeReplay() -> Bool {
    state.withLock { state in
      defer { state.isReplayed = true }
      return !state.isReplayed
    }
  }

  /// Which user's this call is, since its first attempt.
  func session(of bearer: BearerAuthentication) -> Int {
    state.withLock { state in
      let known = state.sessions[ObjectIdentifier(bearer)] ?? bearer.session
      state.sessions[ObjectIdentifier(bearer)] = known
      return known
    }
  }

  private func done(of request: HTTPRequest) -> [ResponseHead] {
    let done = state.withLock { $0.done }
    return !done.isEmpty && isOwn(request) ? done : []
  }

  /// A request of this call was done, as the last of these says.
  func wasDone(_ request: HTTPRequest, after heads: [ResponseHead]) {
    let isOwn = isOwn(request)
    state.withLock { state in
      if isOwn { state.done = heads } else { state.hasDoneAnother = true }
    }
  }

  /// Whether a request is the call's own, and not one that an interceptor sends beside it. Queries are not compared, since
  /// some sign each attempt there.
  private func isOwn(_ other: HTTPRequest) -> Bool {
    guard other.method == method else { return false }
    // As it mostly is: to take both apart costs as much as to make one.
    if other.url == url { return true }
    return other.url.hasSameOrigin(as: url) && other.url.path() == url.path()
  }
}
