import Foundation

/// The destination of a redirect, and the parts of the request that are sent there (RFC 9110, section 15.4).
struct RedirectHandler {
  let client: HTTPClient
  let limit: Int

  static func isRedirect(_ head: ResponseHead) -> Bool {
    switch head.status {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }

  /// Returns the next request.
  ///
  /// - Parameters:
  ///   - head: The redirect.
  ///   - request: The request that was redirected.
  ///   - chain: The addresses so far, the last of which has redirected.
  /// - Throws: ``HTTPError`` of the kind ``HTTPError/Kind/redirect(_:)``.
  func nextRequest(after head: ResponseHead, of request: HTTPRequest, along chain: [URL]) throws(HTTPError)
    -> HTTPRequest
  {
    func failed(_ failure: RedirectFailure) -> HTTPError {
      var error = HTTPError(.redirect(failure), delivery: .responded, status: head.status)
      error.headers = head.headers
      return error
    }
    guard chain.count <= limit else { throw failed(.tooMany(limit: limit)) }
    guard let location = head.headers.first("Location"),
      let url = URLReference.httpURL(URLReference(bytes: location.bytes), from: request.url)
    else {
      throw failed(.noLocation)
    }
    if request.url.hasScheme("https"), !url.hasScheme("https") {
      var error = failed(.insecure)
      error.redirectedTo = url.origin
      throw error
    }
    if let failure = client.transport.redirectFailure(along: chain, to: url) { throw failed(failure) }

    var next = request
    next.url = url
    let becomesGet =
      head.status == 303
      ? request.method != .head : (head.status == 301 || head.status == 302) && request.method == .post
    if becomesGet {
      // The request was processed; its result is read at the other address.
      next.method = .get
      next.body = nil
      next.isIdempotent = true
      for name in ["Content-Type", "Content-Encoding", "Content-Language"] { next.headers.remove(name) }
    } else if let body = next.body, !body.isReplayable {
      throw failed(.bodyNotReplayable)
    }
    if !url.hasSameOrigin(as: request.url) { client.configuration.removeSecrets(from: &next.headers) }
    return next
  }
}

extension HTTPClient.Configuration {
  /// Removes the fields that are meant for one origin, and must not be sent to another.
  func removeSecrets(from headers: inout HTTPHeaders) {
    for name in ["Authorization", "Cookie", "Proxy-Authorization", idempotencyHeader.name] { headers.remove(name) }
    for name in secretHeaders { headers.remove(name) }
    headers.removeSecrets()
  }
}
