#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Foundation

  extension CurlTransfer {
    /// Reports a key that libcurl has rejected to the observer of pins.
    func reportRejectedKey() {
      guard let observer = loop.options.pinObserver, let host = request.url.host(),
        let rule = loop.options.pins.rule(for: host)
      else { return }
      observer(PinEvent(.mismatch, host: host, presented: presentedPins(), expected: rule.pins, isRejected: true))
    }

    /// Checks the key of this transfer's new connection against pins that are only reported on.
    func checkReportOnlyPins() {
      guard let observer = loop.options.pinObserver, let host = request.url.host(),
        let rule = loop.options.pins.rule(for: host), rule.mode == .reportOnly,
        request.url.hasScheme("https")
      else { return }
      // libcurl returns the certificates to the transfer that made the connection: once for each connection.
      guard let presented = certificateChain() else { return }
      let pins = presented.compactMap(KeyPins.Pin.init(certificate:))
      // Like libcurl, this compares the server's own key alone.
      if let own = presented.first.flatMap(KeyPins.Pin.init(certificate:)), rule.pins.contains(own) { return }
      observer(PinEvent(.mismatch, host: host, presented: pins, expected: rule.pins, isRejected: false))
    }

    private func presentedPins() -> [KeyPins.Pin] {
      (certificateChain() ?? []).compactMap(KeyPins.Pin.init(certificate:))
    }

    /// Returns the server's certificates in PEM, its own first; nil if there are none.
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
