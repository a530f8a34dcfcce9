#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Foundation
  internal import Synchronization

  extension CurlTransfer {
    /// How the exchange ended, by libcurl's word and what is known here.
    func result(of code: CURLcode) -> Result<HTTPMetrics, HTTPError> {
      if code == CURLE_OK, localError == nil {
        guard shared.withLock({ $0.head != nil }) else {
          // libcurl takes a header that breaks off for a whole one.
          return .failure(failure(.closed, delivery: delivery))
        }
        // What libcurl has not understood as the length is one all the same.
        if isBodyTruncated { return .failure(failure(.truncated, delivery: .responded)) }
        return .success(measure())
      }
      if localError == nil, isResponseComplete { return .success(measure()) }
      return .failure(completedLocalError ?? error(for: code))
    }

    /// 100 KiB: libcurl's own limit of one line of a header (`CURL_MAX_HTTP_HEADER`).
    private static let maximumHeaderLine = 100 << 10

    /// Whether the answer is there to its last byte. A server may answer before it has read the request, and then end the
    /// stream or the connection; the answer holds all the same (RFC 9113, section 8.1), where libcurl sees a failure, or
    /// waits for leave to send the rest.
    var isResponseComplete: Bool {
      guard let head = shared.withLock({ $0.head }), let length = bodyLength(of: head) else { return false }
      return receivedBytes == length
    }

    /// Whether the body has another length than it says.
    private var isBodyTruncated: Bool {
      guard let head = shared.withLock({ $0.head }), let length = bodyLength(of: head) else { return false }
      return receivedBytes != length
    }

    /// What this side refused, which comes before whatever followed from that.
    private var completedLocalError: HTTPError? {
      guard var localError else { return nil }
      localError.status = shared.withLock { $0.head?.status } ?? localError.status
      localError.metrics = measure()
      return localError
    }

    /// Whether the server may have seen the request, by what libcurl has written to the connection.
    var delivery: HTTPError.Delivery {
      let (hasBegun, hasHead) = shared.withLock { ($0.hasStartedSending, $0.head != nil) }
      if hasHead { return .responded }
      guard hasBegun, !wasNotProcessed, let handle else { return .notSent }
      var size = 0
      clh_get_long(handle, CURLINFO_REQUEST_SIZE, &size)
      return size > 0 ? .maybeSent : .notSent
    }

    /// Why libcurl sends the request again by itself, and what that says of the first time.
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
      // libcurl's answer to a line of a header that is longer than it keeps.
      if RetryPolicy.libcurlMemoryCodes.contains(Int(code.rawValue)), delivery == .maybeSent {
        return failure(
          .tooLarge(.headers(limit: min(request.limits.headers, Self.maximumHeaderLine))), delivery: delivery)
      }
      // What had begun again, had there been a way to begin the body again. That is for the client to decide.
      if code == CURLE_SEND_FAIL_REWIND, delivery == .maybeSent { return failure(.closedWhileIdle, delivery: delivery) }
      var reason = ConnectionFailure(code, delivery: delivery)
      // Over HTTP/2, libcurl says only here that a connection which was used again had been closed.
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

    /// The proxy, where it is what has failed before there was a connection to the server.
    private func proxyFailure(for code: CURLcode) -> ProxyFailure? {
      guard let handle, let address = loop.options.proxy.address(for: request.url) else { return nil }
      // Its answer to CONNECT, where it gave one.
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

    /// Whether the request goes over a connection that stood already.
    private var isReusedConnection: Bool {
      guard let handle, shared.withLock({ $0.hasStartedSending }) else { return false }
      var made = 0
      clh_get_long(handle, CURLINFO_NUM_CONNECTS, &made)
      return made == 0
    }

    /// What libcurl has measured so far.
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
      // Over HTTP/1 it is counted with the header.
      if isBodyInline, measured.version == Int(CURL_HTTP_VERSION_2_0) { metrics.bytesSent += measured.uploaded_bytes }
      return metrics
    }
  }

  extension ConnectionFailure {
    /// What libcurl's code means, where the request got as far as `delivery` says.
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
      // Of a stream of HTTP/2 as well whose connection ends before an answer.
      case CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
        self = delivery == .responded ? .truncated : .closed
      case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: self = .malformed
      default: self = .other(code: Int(code.rawValue))
      }
    }
  }
#endif
