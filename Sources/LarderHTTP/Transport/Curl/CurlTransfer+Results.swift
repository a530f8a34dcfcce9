#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Foundation
  internal import Synchronization

  extension CurlTransfer {
    /// Returns the result of the exchange, from libcurl's code and this side's own state.
    func result(of code: CURLcode) -> Result<HTTPMetrics, HTTPError> {
      if code == CURLE_OK, localError == nil {
        guard shared.withLock({ $0.head != nil }) else {
          // libcurl takes a header that breaks off for a complete one.
          return .failure(failure(.closed, delivery: delivery))
        }
        // A length that libcurl has ignored counts all the same.
        if isBodyTruncated { return .failure(failure(.truncated, delivery: .responded)) }
        return .success(measure())
      }
      if localError == nil, isResponseComplete { return .success(measure()) }
      return .failure(completedLocalError ?? error(for: code))
    }

    /// 100 KiB: libcurl's own limit of one line of a header (`CURL_MAX_HTTP_HEADER`).
    private static let maximumHeaderLine = 100 << 10

    /// Whether the response has arrived to its last byte. A server may respond before it has read the request, and then end the
    /// stream or the connection; the response is valid all the same (RFC 9113, section 8.1), although libcurl reports a failure,
    /// or waits for permission to send the rest.
    var isResponseComplete: Bool {
      guard let head = shared.withLock({ $0.head }), let length = bodyLength(of: head) else { return false }
      return receivedBytes == length
    }

    /// Whether the body has another length than declared.
    private var isBodyTruncated: Bool {
      guard let head = shared.withLock({ $0.head }), let length = bodyLength(of: head) else { return false }
      return receivedBytes != length
    }

    /// This side's own error, which takes precedence over libcurl's consequence of it.
    private var completedLocalError: HTTPError? {
      guard var localError else { return nil }
      localError.status = shared.withLock { $0.head?.status } ?? localError.status
      localError.metrics = measure()
      return localError
    }

    /// Whether the server may have received the request, by the bytes that libcurl has written to the connection.
    var delivery: HTTPError.Delivery {
      let (hasBegun, hasHead) = shared.withLock { ($0.hasStartedSending, $0.head != nil) }
      if hasHead { return .responded }
      guard hasBegun, !wasNotProcessed, let handle else { return .notSent }
      var size = 0
      clh_get_long(handle, CURLINFO_REQUEST_SIZE, &size)
      return size > 0 ? .maybeSent : .notSent
    }

    /// The reason for which libcurl sends a request again by itself, and the delivery of the first time.
    var resendReason: (ConnectionFailure, HTTPError.Delivery) {
      wasNotProcessed ? (.notProcessed, .notSent) : (.closedWhileIdle, .maybeSent)
    }

    private func error(for code: CURLcode) -> HTTPError {
      let delivery = delivery
      if delivery != .responded, wasNotProcessed { return failure(.notProcessed, delivery: .notSent) }
      if code == CURLE_SSL_PINNEDPUBKEYNOTMATCH {
        reportRejectedKey()
        return failure(.pinMismatch(host: request.url.host() ?? ""), delivery: delivery)
      }
      if delivery == .notSent, let proxy = proxyFailure(for: code) {
        var error = failure(.proxy, delivery: .notSent)
        error.proxy = proxy
        return error
      }
      if code == CURLE_URL_MALFORMAT { return failure(.invalidRequest(.url), delivery: delivery) }
      if code == CURLE_SSL_CACERT_BADFILE, delivery == .notSent {
        return failure(.invalidRequest(.trustRoots), delivery: delivery)
      }
      // libcurl's code for a header line that is longer than its limit.
      if RetryPolicy.libcurlMemoryCodes.contains(Int(code.rawValue)), delivery == .maybeSent {
        return failure(
          .tooLarge(.headers(limit: min(request.limits.headers, Self.maximumHeaderLine))), delivery: delivery)
      }
      // libcurl would have sent the request again if its body could be rewound. That decision is the client's.
      if code == CURLE_SEND_FAIL_REWIND, delivery == .maybeSent { return failure(.closedWhileIdle, delivery: delivery) }
      var reason = ConnectionFailure(code, delivery: delivery)
      // Over HTTP/2, only this code shows that a reused connection had been closed.
      if reason == .closed, code != CURLE_OPERATION_TIMEDOUT, code != CURLE_HTTP2_STREAM, isReusedConnection {
        reason = .closedWhileIdle
      }
      var error = failure(reason, delivery: delivery)
      if reason == .untrustedCertificate, let handle {
        var result = -1
        clh_get_long(handle, CURLINFO_SSL_VERIFYRESULT, &result)
        error.certificateProblem = CertificateProblem(verification: result)
      }
      return error
    }

    /// Returns the proxy's failure, if the proxy failed before there was a connection to the server.
    private func proxyFailure(for code: CURLcode) -> ProxyFailure? {
      guard let handle, let address = loop.options.proxy.address(for: request.url) else { return nil }
      // The proxy's response to CONNECT, if there was one.
      var status = 0
      clh_get_long(handle, CURLINFO_HTTP_CONNECTCODE, &status)
      if (200..<300).contains(status) { return nil }
      if status != 0 { return ProxyFailure(address: address, status: status) }
      switch code {
      case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_RECV_ERROR, CURLE_SEND_ERROR,
        CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_OPERATION_TIMEDOUT:
        return ProxyFailure(address: address)
      default: return nil
      }
    }

    private func failure(_ reason: ConnectionFailure, delivery: HTTPError.Delivery) -> HTTPError {
      failure(HTTPError.Kind(reason, delivery), delivery: delivery)
    }

    private func failure(_ kind: HTTPError.Kind, delivery: HTTPError.Delivery) -> HTTPError {
      var error = HTTPError(kind, delivery: delivery)
      error.status = shared.withLock { $0.head?.status }
      error.metrics = measure()
      return error
    }

    func deadlineResult(_ phase: HTTPError.DeadlinePhase) -> Result<HTTPMetrics, HTTPError> {
      if phase == .idle, localError == nil, isResponseComplete { return .success(measure()) }
      if let completedLocalError { return .failure(completedLocalError) }
      var error = failure(.deadline(phase), delivery: delivery)
      if phase == .connect, delivery == .notSent { error.proxy = proxyFailure(for: CURLE_OPERATION_TIMEDOUT) }
      return .failure(error)
    }

    func cancellationResult() -> Result<HTTPMetrics, HTTPError> { .failure(failure(.cancelled, delivery: delivery)) }

    func shutdownResult() -> Result<HTTPMetrics, HTTPError> {
      return .failure(failure(.shutDown, delivery: delivery))
    }

    /// Whether the request uses a connection that was already open.
    private var isReusedConnection: Bool {
      guard let handle, shared.withLock({ $0.hasStartedSending }) else { return false }
      var made = 0
      clh_get_long(handle, CURLINFO_NUM_CONNECTS, &made)
      return made == 0
    }

    /// Returns libcurl's measurements so far.
    private func measure() -> HTTPMetrics {
      var metrics = HTTPMetrics()
      guard let handle else { return metrics }
      var measured = clh_measured()
      clh_measure(handle, &measured)
      metrics.nameLookup = .microseconds(measured.name_lookup)
      metrics.connect = .microseconds(measured.connect)
      metrics.tls = .microseconds(measured.tls)
      metrics.firstByte = .microseconds(measured.first_byte)
      metrics.total = .microseconds(measured.total)
      metrics.bytesReceived = Int64(measured.header_bytes) + measured.body_bytes
      metrics.bodyBytes = receivedBytes
      metrics.isReusedConnection = isReusedConnection
      metrics.version =
        switch measured.version {
        case Int(CURL_HTTP_VERSION_1_0): "1.0"
        case Int(CURL_HTTP_VERSION_1_1): "1.1"
        case Int(CURL_HTTP_VERSION_2_0): "2"
        case 30: "3"
        default: ""
        }
      metrics.bytesSent = Int64(measured.request_bytes) + uploadedBytes
      // Over HTTP/1 the body is counted with the header.
      if isBodyInline, measured.version == Int(CURL_HTTP_VERSION_2_0) { metrics.bytesSent += measured.uploaded_bytes }
      return metrics
    }
  }

  extension ConnectionFailure {
    /// Creates the failure for a code of libcurl, with regard to the delivery of the request.
    init(_ code: CURLcode, delivery: HTTPError.Delivery) {
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST: self = .nameNotResolved
      case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: self = .proxy
      case CURLE_COULDNT_CONNECT: self = .connectionRefused
      case CURLE_OPERATION_TIMEDOUT: self = delivery == .notSent ? .unreachable : .closed
      case CURLE_PEER_FAILED_VERIFICATION: self = .untrustedCertificate
      case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
        CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
        CURLE_SSL_CRL_BADFILE, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
        self = .tls
      case CURLE_SSL_INVALIDCERTSTATUS: self = .untrustedCertificate
      case CURLE_INTERFACE_FAILED, CURLE_QUIC_CONNECT_ERROR: self = .unreachable
      case CURLE_BAD_CONTENT_ENCODING: self = .compression
      case CURLE_SEND_FAIL_REWIND: self = .closed
      case CURLE_GOT_NOTHING: self = .closed
      // Also for a stream of HTTP/2 whose connection ends before a response.
      case CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
        self = delivery == .responded ? .truncated : .closed
      case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: self = .malformed
      default: self = .other(code: Int(code.rawValue))
      }
    }
  }
#endif
