public import Foundation

extension HTTPError: CustomStringConvertible {
  /// The request, the failure, and the advice, without private values.
  public var description: String { outline + ". " + advice }

  /// The request and the failure.
  private var outline: String {
    var text = request.map { $0 + ": " } ?? ""
    if let redirectedTo { text += "redirected to \(redirectedTo): " }
    text += kind.summary
    if let proxy { text += ": " + proxy.summary }
    if let textPosition { text += ", from line \(textPosition.line), column \(textPosition.column) on" }
    if let certificateProblem { text += ": " + certificateProblem.summary }
    // Texts of these types, which contain no private values; those of other errors may.
    if kind == .credentialsUnavailable {
      if let cause = underlying as? HTTPError { text += ": " + cause.outline }
      if let reason = (underlying as? CredentialsUnavailableError)?.reason { text += ": " + reason }
    }
    if let status, kind != .unacceptableStatus(status) { text += " (status \(status))" }
    if attempts > 1 { text += ", after \(attempts) attempts" }
    return text
  }
}

extension HTTPError: LocalizedError {
  /// ``description``: the failure, and the advice.
  public var errorDescription: String? { description }
  public var failureReason: String? { kind.summary }
  public var recoverySuggestion: String? { advice }
}

extension HTTPError.Kind {
  /// A few words that name the failure.
  public var summary: String {
    switch self {
    case .invalidRequest(let reason): "the request cannot be sent (\(reason.summary))"
    case .notSent(let failure): "not sent: \(failure.summary)"
    case .maybeSent(let failure): "sent, perhaps: \(failure.summary)"
    case .interrupted(let failure): "the answer was not read to its end: \(failure.summary)"
    case .unacceptableStatus(let status): "refused with status \(status)"
    case .rateLimited(let date):
      date.map { "the server asks to wait until \($0.formatted(.iso8601))" } ?? "the server asks to wait"
    case .unauthorized: "the credentials are not accepted"
    case .needsSignIn: "needs to sign in: there are no credentials that the server accepts"
    case .credentialsUnavailable: "the credentials could not be got"
    case .pinMismatch(let host): "the key of \(host) is not one that it is pinned to"
    case .tooLarge(let excess): "the response is too large: \(excess.summary)"
    case .notJSON(let type): type.map { "the answer is no JSON (\($0))" } ?? "the answer is no JSON"
    case .noContent: "the answer is empty"
    case .undecodable(let path):
      "the answer is not of the type that was asked for, at \(path.isEmpty ? "its root" : path)"
    case .redirect(let failure): "a redirect was not followed: \(failure.summary)"
    case .cancelled: "cancelled"
    case .deadline(let phase): "the deadline for \(phase.summary) has passed"
    case .file(let number): "the file could not be written (\(String(cString: strerror(number))))"
    }
  }
}

extension ConnectionFailure {
  var summary: String {
    switch self {
    case .nameNotResolved: "the server's name has no address"
    case .proxy: "the proxy failed"
    case .connectionRefused: "the connection was refused"
    case .unreachable: "the server cannot be reached"
    case .untrustedCertificate: "the server's certificate is not trusted"
    case .tls: "TLS failed"
    case .closed: "the connection was closed before an answer"
    case .closedWhileIdle: "a kept connection was closed before an answer"
    case .notProcessed: "the server was about to end, or had no room, and has not handled it"
    case .truncated: "the connection broke within the answer"
    case .malformed: "the answer is no HTTP"
    case .compression: "its compression is damaged, or breaks off"
    case .contentCoding(let name): "its content coding \(name) is not known here"
    case .requestBody: "the body to be sent failed"
    case .shutDown: "the transport was shut down"
    case .other(let code): "the transport failed: " + Self.description(ofCode: code)
    }
  }
}

extension InvalidRequest {
  var summary: String {
    switch self {
    case .url: "base address"
    case .emptyPathComponent: "an empty value in the path"
    case .dotSegment: "a dot segment in the path"
    case .path: "path"
    case .header(let name): "header \(name)"
    case .method: "method"
    case .body: "body"
    case .credentials: "credentials"
    case .idempotencyKey: "idempotency key"
    case .transportSecurity: "what secures the connection"
    case .trustRoots: "the authorities, in which there is no certificate"
    case .insecurePinnedHost: "a pinned host over http"
    case .insecureCredentials: "credentials over http"
    case .recursiveAuthentication: "it gets the credentials that it would wait for"
    }
  }
}

extension RedirectFailure {
  var summary: String {
    switch self {
    case .tooMany(let limit): "there are more than \(limit)"
    case .noLocation: "it names no address"
    case .insecure: "it leads from HTTPS to HTTP"
    case .unpinned(let host): "it leads from a pinned host to \(host), which has no pins"
    case .bodyNotReplayable: "the body cannot be sent again"
    case .alreadyProcessed: "its answer was to be asked for, and not the same of another address"
    }
  }
}

extension HTTPError.SizeLimit {
  var summary: String {
    switch self {
    case .body(let limit): "the body may have \(limit) bytes"
    case .decompressedBody(let limit): "the body may have \(limit) bytes when decompressed"
    case .headers(let limit): "the header may have \(limit) bytes"
    }
  }
}

extension HTTPError.DeadlinePhase {
  var summary: String {
    switch self {
    case .connect: "connecting"
    case .firstByte: "the first byte of the answer"
    case .idle: "a silent connection"
    case .total: "the whole request"
    }
  }
}
