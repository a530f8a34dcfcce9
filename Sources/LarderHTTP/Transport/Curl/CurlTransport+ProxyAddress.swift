#if os(Linux)
  internal import Foundation

  extension CurlTransport.Proxy {
    /// The proxy by which libcurl asks an address, without its credentials; nil where it asks none. Asked only of what has
    /// failed: libcurl chooses by itself, and says of no failure whose it is.
    func address(
      for url: URL, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
      guard let host = url.host(), !url.isLoopback else { return nil }
      let chosen: String?
      switch self {
      case .none: return nil
      case .address(let address): chosen = address
      case .environment:
        // http_proxy in small letters alone: a server's program may get the other from a request's header.
        let names = url.hasScheme("https") ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        chosen = (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
      }
      guard let chosen, !chosen.isEmpty else { return nil }
      let exceptions = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
      return Self.isExcluded(ASCIIText.lowercased(host), by: ASCIIText.lowercased(exceptions))
        ? nil : Self.withoutCredentials(chosen)
    }

    /// Whether a host, or what it is below, is among those that are asked without a proxy.
    private static func isExcluded(_ host: String, by list: String) -> Bool {
      list.split { $0 == "," || $0 == " " }.contains { entry in
        let name = entry.first == "." ? entry.dropFirst() : entry
        return entry == "*" || host == name || host.hasSuffix("." + name)
      }
    }

    private static func withoutCredentials(_ address: String) -> String {
      let scheme = address.range(of: "://").map { String(address[..<$0.upperBound]) } ?? "http://"
      let rest = address.range(of: "://").map { address[$0.upperBound...] } ?? address[...]
      // A password may have a slash that somebody forgot to encode: all that stands before the last @ may be a part of it.
      let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
      return scheme + place.prefix { $0 != "/" }
    }
  }
#endif
