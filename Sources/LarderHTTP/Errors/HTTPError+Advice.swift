internal import Foundation

extension HTTPError {
  /// A sentence of advice to the user or the developer.
  public var advice: String {
    switch kind {
    case .invalidRequest(let reason): reason.advice
    case .notSent(let failure):
      (certificateProblem?.advice ?? proxy?.advice ?? failure.advice)
        + " The request was not sent, so it is safe to send it again."
    case .maybeSent(let failure): failure.advice + " " + retryAdvice
    case .interrupted(let failure):
      failure.advice + " "
        + (isSafe
          ? retryAdvice : Self.adviceAfterProcessing)
    case .unacceptableStatus(500..<600) where !isSafe: "The server has failed, and may have acted. " + retryAdvice
    case .unacceptableStatus(403) where wasSentWithoutUserAgent:
      "This account may not do that; or the server wants a User-Agent, which was not sent: set it in the client's "
        + "configuration.headers."
    case .unacceptableStatus(let status): Self.advice(forStatus: status)
    case .rateLimited(nil): "Wait a while, and ask for less at a time."
    case .rateLimited: "Wait until the time that the server names, and ask for less at a time."
    case .unauthorized: "Show other credentials: correct them, sign in again, or refresh the token."
    case .needsSignIn where underlying is UserChangedError:
      mayHaveBeenProcessed
        ? "It was made for another user, and the server may have acted: ask it in their name before sending it again."
        : "It was made for another user, and was not acted upon: send it again in their name alone."
    case .needsSignIn:
      mayHaveBeenProcessed
        ? "Sign in. The server may have acted: ask it before sending the request again."
        : "Sign in; the request was not acted upon, and can be kept until then."
    case .credentialsUnavailable:
      credentialsAdvice
        + (mayHaveBeenProcessed
          ? " The server may have acted on the request itself: ask it before sending that again."
          : " The request itself was not acted upon.")
    case .pinMismatch:
      "Do not go on: the connection may be intercepted. If the server's key was changed, ship its new pin."
        + (delivery == .notSent ? " Nothing was sent." : "")
    case .tooLarge(.headers): "Raise the limit of the header if this server is trusted."
    case .tooLarge: "Ask for less at a time, stream the response, or raise the limit." + adviceAfterSuccess
    case .notJSON(let type) where MediaType(type).isHTML:
      "Check the address of the API, and what stands before it. Or this network asks to sign in: open a web page, then try "
        + "again."
    case .notJSON where textPosition != nil:
      "Look at that place in the answer, the beginning of which is in the error's body: it is damaged, or no JSON."
        + adviceAfterSuccess
    case .notJSON:
      "Look at the beginning of the answer, which is in the error's body: it is damaged, or no JSON."
        + adviceAfterSuccess
    case .noContent where status == 304:
      "Nothing has changed since what the request's condition names: use refresh, which keeps that beside the data."
    case .noContent:
      "Ask for an optional value, or for none: the server answers this with nothing." + adviceAfterSuccess
    case .undecodable:
      "Compare the type with what the server sends; one of them has changed." + adviceAfterSuccess
    case .redirect(let failure): failure.advice
    case .cancelled:
      delivery == .notSent
        ? "Nothing was sent."
        : isSafe
          ? "Nothing is changed by it." : "The server may have acted: ask it before sending the request again."
    case .deadline(let phase): advice(for: phase)
    case .file(ENOTSUP), .file(EISDIR):
      "Name a plain file, or a link to one: a folder, a device, a pipe or a socket is not replaced. Stream a body that is not "
        + "to be kept."
    case .file: "Check the folder, its permissions and the space on the disk; the file that was there is untouched."
    }
  }

  /// Whether an earlier step, such as a redirect that reports success, may have carried the request to the server.
  private var mayHaveBeenProcessed: Bool { delivery == .maybeSent }

  private var credentialsAdvice: String {
    if let advice = (underlying as? CredentialsUnavailableError)?.advice { return advice }
    let cause = rootCause
    guard cause.kind != .credentialsUnavailable else {
      return (cause.underlying as? CredentialsUnavailableError)?.advice ?? "Try again later."
    }
    switch cause.kind {
    case .invalidRequest, .pinMismatch: return cause.advice
    case .notSent(.untrustedCertificate): return cause.certificateProblem?.advice ?? cause.advice
    case .notSent(let failure): return failure.advice + " Then try again."
    default:
      return cause.delivery == .maybeSent
        ? "What asks for the credentials may have arrived. Try again later; sign in where they are not accepted then."
        : "Try again later."
    }
  }

  private func advice(for phase: DeadlinePhase) -> String {
    switch phase {
    case .connect where delivery == .notSent: "Check the connection and try again; nothing was sent."
    case .connect, .firstByte, .idle, .total:
      delivery == .notSent
        ? "Try again later, or allow more time; nothing was sent."
        : isSafe ? "Try again later, or allow more time." : retryAdvice
    }
  }

  private static let adviceAfterProcessing =
    "The server has taken the request: ask it what came of that before sending it again."

  /// The advice after an unusable success, empty if the request changes nothing.
  private var adviceAfterSuccess: String {
    let isSuccess = status.map { (200..<300).contains($0) } == true
    return isSuccess && !isSafe ? " " + Self.adviceAfterProcessing : ""
  }

  private var retryAdvice: String {
    isSafe
      ? "The request only reads, so it is safe to send it again."
      : "The server may have acted: ask it, or send again only what is safe to send twice."
  }

  private static func advice(forStatus status: Int) -> String {
    switch status {
    case 304: "The server says that nothing has changed, which nobody has asked: check the server and its caches."
    case 511: "This network asks to sign in: open a web page, then try again."
    case 206: "Only a part came, for which nobody has asked: check the server, and what stands before it."
    case 400, 422: "Correct what is sent; sending the same again fails again."
    case 403: "This account may not do that."
    case 404, 410: "What was asked for is not there, or no longer."
    case 405, 501: "The server does not know this method here; check the endpoint."
    case 407: "Give the proxy a name and a password, in its address: http://user:password@host:port."
    case 408, 425: "Send it again."
    case 409, 412, 428: "Fetch the current state, and decide again."
    case 413: "Send less at a time."
    case 415: "Check the media type that is sent."
    case 500..<600: "The server has failed; try again later."
    default: "Check the endpoint and what is sent to it."
    }
  }
}

extension ConnectionFailure {
  var advice: String {
    switch self {
    case .nameNotResolved: "Check the connection, and the server's name."
    case .proxy: "Check the proxy, in the transport's options or in the environment (https_proxy)."
    case .connectionRefused: "Nobody listens at this address and port: is the server running?"
    case .unreachable: "Check the connection."
    case .untrustedCertificate: "Check the server's certificate, this device's clock, and the network for a portal."
    case .tls: "Check the server's TLS settings, and the network for something in between."
    case .closed, .closedWhileIdle, .truncated:
      "Where that happens again, check the connection, the server, and what stands before it."
    case .notProcessed: "Try again; where that happens again, ask for less at a time."
    case .malformed: "Check the address and the port, the server, and what stands before it."
    case .compression:
      "Check the server, and what stands before it: the answer is not compressed as it says, or was cut off."
    case .contentCoding:
      "Check the server's Content-Encoding. A request with an Accept-Encoding of its own gets the body as it comes."
    case .requestBody: "Check the body's sequence, and the length that is given for it."
    case .shutDown: "Make another transport: this one was shut down."
    case .other: "Check the connection, and what this machine has left of memory and open files."
    }
  }
}

extension InvalidRequest {
  var advice: String {
    switch self {
    case .url:
      "Give an address of http:// or https://, a host and a port up to 65535 if there is one; a base has neither "
        + "credentials nor a query."
    case .emptyPathComponent: "Give a value that is not empty to each place of the path."
    case .dotSegment: "Leave . and .. out of the path; no value that is put into it may be one of them."
    case .path: "Give the query by queryItems, and write a percent sign in a literal path as %25."
    case .header(let name) where HTTPRequest.isReserved(name):
      "Leave \(name) out: the transport says itself how a message ends, and what becomes of the connection."
    case .header(let name): "Take line breaks out of the value of \(name), or correct the name."
    case .method: "Give a method of letters."
    case .body: "Check the value that is to be encoded, or the file that is to be read; a HEAD has no body."
    case .credentials: "Give a name without a colon, and neither it nor the password control characters."
    case .idempotencyKey: "Use visible ASCII characters for the key."
    case .transportSecurity: "Give the transport fewer authorities or pins, or a libcurl built with them."
    case .trustRoots:
      "Give the transport the authorities' certificates in PEM, or install the system's (the package ca-certificates)."
    case .insecurePinnedHost: "Use https for a host that is pinned."
    case .insecureCredentials: "Use https, or allow credentials over http where the network is yours."
    case .recursiveAuthentication:
      "Give the endpoint that gets the credentials the authentication .none, or ask by a client that has none."
    }
  }
}

extension RedirectFailure {
  var advice: String {
    switch self {
    case .tooMany: "Use the address at the end of the chain, or check the server for a circle."
    case .noLocation: "Check the server: its redirect names no address."
    case .insecure: "Use an address that stays with HTTPS."
    case .unpinned: "Pin that host too, or allow redirects to hosts without pins."
    case .bodyNotReplayable: "Use the address that the server redirects to, or a body that can be sent again."
    case .alreadyProcessed:
      "The server has acted: ask it before sending the request again, and have interceptors send each attempt to the same "
        + "address."
    }
  }
}
