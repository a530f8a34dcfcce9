#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Foundation

  extension CurlTransfer {
    /// Sets the allowed protocols, the proxy, the trusted authorities and the pins.
    ///
    /// - Throws: ``HTTPError`` if libcurl rejects one of the options: without it, the request could reach another party than the
    ///   intended one.
    func configureSecurity(_ handle: UnsafeMutableRawPointer, options: CurlTransport.Options) throws(HTTPError) {
      try require(clh_allow_http_only(handle))
      try require(clh_set_long(handle, CURLOPT_SSL_VERIFYPEER, 1))
      try require(clh_set_long(handle, CURLOPT_SSL_VERIFYHOST, 2))
      switch options.proxy {
      case .none: try require(clh_set_string(handle, CURLOPT_PROXY, ""))
      // Requests to this machine may be unencrypted, and a proxy is another machine.
      case _ where request.url.isLoopback: try require(clh_set_string(handle, CURLOPT_PROXY, ""))
      case .environment: break
      case .address(let address): try require(clh_set_string(handle, CURLOPT_PROXY, address))
      }
      try require(clh_set_long(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1))
      if case .only(let pem) = options.trustRoots {
        try require(pem.withUnsafeBytes { clh_set_blob(handle, CURLOPT_CAINFO_BLOB, $0.baseAddress, $0.count) })
        let code = clh_set_string(handle, CURLOPT_CAPATH, nil)
        // A TLS library without a folder of authorities has none to remove.
        if code != CURLE_NOT_BUILT_IN { try require(code) }
      }
      guard let host = request.url.host(), let rule = options.pins.rule(for: host) else { return }
      try requireTLS(host, rule, options)
      // The observer's events contain the presented keys, which need the certificates. The check does not use them.
      if options.pinObserver != nil { clh_set_long(handle, CURLOPT_CERTINFO, 1) }
      guard rule.mode == .enforced else { return }
      // A host with an empty set of pins matches no key: fail closed.
      let list = rule.pins.map { "sha256//" + $0.base64 }.sorted()
      try require(
        clh_set_string(
          handle, CURLOPT_PINNEDPUBLICKEY,
          list.isEmpty ? "sha256//" + Data(count: 32).base64EncodedString() : list.joined(separator: ";")))
    }

    /// Rejects or reports a pinned host without TLS: there would be no key to compare.
    private func requireTLS(
      _ host: String, _ rule: KeyPins.Rule, _ options: CurlTransport.Options
    ) throws(HTTPError) {
      guard !request.url.hasScheme("https") else { return }
      let isRefused = rule.mode == .enforced
      options.pinObserver?(PinEvent(.noTLS, host: host, expected: rule.pins, isRejected: isRefused))
      if isRefused { throw HTTPError(.invalidRequest(.insecurePinnedHost), delivery: .notSent) }
    }

    private func require(_ code: CURLcode) throws(HTTPError) {
      guard code == CURLE_OK else { throw HTTPError(.invalidRequest(.transportSecurity), delivery: .notSent) }
    }
  }
#endif
