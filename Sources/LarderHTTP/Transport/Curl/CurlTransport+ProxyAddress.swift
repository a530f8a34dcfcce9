#if os(Linux)
  internal import Foundation

  extension CurlTransport.Proxy {
    /// Returns the address of the proxy that libcurl uses for a URL, without credentials; nil for none. Used only after a failure:
    /// libcurl chooses the proxy by itself, and does not report whether a failure was the proxy's.
    func address(
      for url: URL, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
      guard let host = url.host(), !url.isLoopback else { return nil }
      let chosen: String?
      switch self {
      case .none: return nil
      case .address(let address): chosen = address
      case .environment:
        // http_proxy in lower case alone: in a server's program, the other may come from a request's header.
        let names = url.hasScheme("https") ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        chosen = (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
      }
      guard let chosen, !chosen.isEmpty else { return nil }
      let exceptions = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
      return Self.isExcluded(ASCIIText.lowercased(host), by: ASCIIText.lowercased(exceptions))
        ? nil : Self.withoutCredentials(chosen)
    }

    /// Returns whether a host, or one of its parent domains, is excluded from the proxy.
    private static func isExcluded(_ host: String, by list: String) -> Bool {
      list.split { $0 == "," || $0 == " " }.contains { entry in
        let name = entry.first == "." ? entry.dropFirst() : entry
        return entry == "*" || host == name || host.hasSuffix("." + name)
      }
    }

    private static func withoutCredentials(_ address: String) -> String {
      let scheme = address.range(of: "://").map { String(address[..<$0.upperBound]) } ?? "http://"
      let rest = address.range(of: "://").map { address[$0.upperBound...] } ?? address[...]
      // A password may contain an unencoded slash: everything before the last @ may be part of it.
      let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
      return scheme + place.prefix { $0 != "/" }
    }
  }
#endif
