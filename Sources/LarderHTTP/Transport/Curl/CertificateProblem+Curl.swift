#if os(Linux)
  internal import CCurl

  extension CertificateProblem {
    /// Creates the problem of a failed verification from libcurl's result; nil if its numbers are not those of OpenSSL.
    init?(verification result: Int) {
      guard Self.isNumberedByOpenSSL else { return nil }
      switch result {
      case 10: self = .expired
      case 9: self = .notYetValid
      case 18: self = .selfSigned
      case 2, 19, 20, 21: self = .unknownAuthority
      // The chain was valid, or libcurl had not yet recorded that it was, when the host name did not match.
      case 0, 1, 62: self = .hostMismatch
      default: return nil
      }
    }

    private static let isNumberedByOpenSSL: Bool = {
      guard let library = curl_version_info(CURLVERSION_FIRST)?.pointee.ssl_version else { return false }
      let name = String(cString: library)
      return ["OpenSSL", "LibreSSL", "BoringSSL", "AWS-LC", "quictls"].contains { name.hasPrefix($0) }
    }()
  }
#endif
