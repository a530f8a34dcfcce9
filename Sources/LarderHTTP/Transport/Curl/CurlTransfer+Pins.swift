#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Foundation

  extension CurlTransfer {
    /// libcurl has refused a key.
    func reportRejectedKey() {
      guard let observer = loop.options.pinObserver, let host = request.url.host(),
        let rule = loop.options.pins.rule(for: host)
      else { return }
      observer(PinEvent(.mismatch, host: host, presented: presentedPins(), expected: rule.pins, isRejected: true))
    }

    /// Compares the key of a connection that was made for this transfer, where it is only reported on.
    func checkReportOnlyPins() {
      guard let observer = loop.options.pinObserver, let host = request.url.host(),
        let rule = loop.options.pins.rule(for: host), rule.mode == .reportOnly,
        request.url.hasScheme("https")
      else { return }
      // libcurl gives the certificates to the transfer that a connection was made for: once for each connection.
      guard let presented = certificateChain() else { return }
      let pins = presented.compactMap(KeyPins.Pin.init(certificate:))
      // As libcurl does, the server's own key alone is compared.
      if let own = presented.first.flatMap(KeyPins.Pin.init(certificate:)), rule.pins.contains(own) { return }
      observer(PinEvent(.mismatch, host: host, presented: pins, expected: rule.pins, isRejected: false))
    }

    private func presentedPins() -> [KeyPins.Pin] {
      (certificateChain() ?? []).compactMap(KeyPins.Pin.init(certificate:))
    }

    /// The chain that the server has shown, its own certificate first, in PEM; nil where there is none.
    private func certificateChain() -> [String]? {
      var pointer: UnsafeMutableRawPointer?
      guard let handle, clh_get_pointer(handle, CURLINFO_CERTINFO, &pointer) == CURLE_OK,
        let info = pointer?.assumingMemoryBound(to: curl_certinfo.self).pointee, info.num_of_certs > 0
      else { return nil }
      return (0..<Int(info.num_of_certs)).map { place in
        var field = info.certinfo[place]
        while let line = field {
          if let text = line.pointee.data.map({ String(cString: $0) }), text.hasPrefix("Cert:") { return text }
          field = line.pointee.next
        }
        return ""
      }
    }
  }
#endif
