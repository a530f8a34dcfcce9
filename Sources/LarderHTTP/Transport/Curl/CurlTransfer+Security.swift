#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Foundation

  extension CurlTransfer {
    /// Says with whom the handle may speak, and how it knows them.
    ///
    /// - Throws: ``HTTPError``, where libcurl does not take one of these: without it, the request would go to somebody
    ///   else than was meant.
    func configureSecurity(_ handle: UnsafeMutableRawPointer, options: CurlTransport.Options) throws(HTTPError) {
      try require(clh_allow_http_only(handle))
      try require(clh_set_long(handle, CURLOPT_SSL_VERIFYPEER, 1))
      try require(clh_set_long(handle, CURLOPT_SSL_VERIFYHOST, 2))
      switch options.proxy {
      case .none: try require(clh_set_string(handle, CURLOPT_PROXY, ""))
      // What is for this machine alone may be said in the clear, and a proxy is another one.
      case _ where request.url.isLoopback: try require(clh_set_string(handle, CURLOPT_PROXY, ""))
      case .environment: break
      case .address(let address): try require(clh_set_string(handle, CURLOPT_PROXY, address))
      }
      try require(clh_set_long(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1))
      if case .only(let pem) = options.trustRoots {
        try require(pem.withUnsafeBytes { clh_set_blob(handle, CURLOPT_CAINFO_BLOB, $0.baseAddress, $0.count) })
        let code = clh_set_string(handle, CURLOPT_CAPATH, nil)
        // One that knows no folder of authorities has none to forget.
        if code != CURLE_NOT_BUILT_IN { try require(code) }
      }
      guard let host = request.url.host(), let rule = options.pins.rule(for: host) else { return }
      try requireTLS(host, rule, options)
      // Who is told of the keys that were shown needs the certificates. They are no part of what is checked.
      if options.pinObserver != nil { clh_set_long(handle, CURLOPT_CERTINFO, 1) }
      guard rule.mode == .enforced else { return }
      // A host whose set of pins is empty matches nothing: fail closed.
      let list = rule.pins.map { "sha256//" + $0.base64 }.sorted()
      try require(
        clh_set_string(
          handle, CURLOPT_PINNEDPUBLICKEY,
          list.isEmpty ? "sha256//" + Data(count: 32).base64EncodedString() : list.joined(separator: ";")))
    }

    /// Without TLS no key is shown, and none would be compared.
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
