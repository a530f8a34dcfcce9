import Foundation
import Testing

@testable import LarderHTTP

/// By which proxy libcurl asks an address.
@Suite struct ProxyAddressTests {
  @Test(
    arguments: [
      ("https://h/", ["https_proxy": "http://p:1"], "http://p:1"), ("https://h/", ["HTTPS_PROXY": "p:1"], "http://p:1"),
      ("https://h/", ["http_proxy": "http://p:1"], nil),
      ("http://h/", ["http_proxy": "http://u:p@w@p:1/"], "http://p:1"),
      // What somebody forgot to encode in a password is part of it still.
      ("http://h/", ["http_proxy": "http://u:p/w@p:1/"], "http://p:1"),
      ("http://h/", ["http_proxy": "u:/@p:1"], "http://p:1"),
      ("http://h/", ["HTTP_PROXY": "http://p:1"], nil), ("http://h/", ["all_proxy": "socks5h://p:1"], "socks5h://p:1"),
      ("https://h/", ["https_proxy": "", "ALL_PROXY": "p:2"], "http://p:2"), ("https://h/", [:], nil),
      ("https://localhost/", ["https_proxy": "p:1"], nil), ("https://127.0.0.1/", ["https_proxy": "p:1"], nil),
      ("https://a.h/", ["https_proxy": "p:1", "no_proxy": "x, h"], nil),
      ("https://a.h/", ["https_proxy": "p:1", "no_proxy": ".h"], nil),
      ("https://A.H/", ["https_proxy": "p:1", "NO_PROXY": "a.h"], nil),
      ("https://ah/", ["https_proxy": "p:1", "no_proxy": "h"], "http://p:1"),
      ("https://h/", ["https_proxy": "p:1", "no_proxy": "*"], nil),
    ] as [(String, [String: String], String?)])
  func ofTheEnvironment(_ url: String, _ environment: [String: String], _ expected: String?) throws {
    let url = try #require(URL(string: url))
    #expect(CurlTransport.Proxy.environment.address(for: url, environment: environment) == expected)
    #expect(CurlTransport.Proxy.none.address(for: url, environment: environment) == nil)
  }

  @Test func ofTheOptions() throws {
    let url = try #require(URL(string: "https://h/"))
    let proxy = CurlTransport.Proxy.address("https://u:p@proxy:3128")
    #expect(proxy.address(for: url, environment: ["https_proxy": "p:1"]) == "https://proxy:3128")
    #expect(proxy.address(for: url, environment: ["no_proxy": "h"]) == nil)
  }
}
