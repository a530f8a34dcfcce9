public import LoopbackServer

extension LoopbackServer {
  /// Starts a server with TLS.
  ///
  /// ```swift
  /// let authority = try TestCertificateAuthority()
  /// let server = try LoopbackServer(identity: authority.identity())
  /// server.route("/trips") { _ in .json("[]") }
  /// // The client trusts this authority only.
  /// options.authorities = .only(pem: authority.certificate)
  /// let client = HTTPClient(baseURL: server.url(), transport: CurlTransport(options: options))
  /// ```
  ///
  /// - Parameters:
  ///   - port: The port on which the server listens; 0 lets the system choose a free one.
  ///   - identity: The server's certificate and key. To test the rejection of a certificate, create one for another host, an
  ///     expired one, or one of another authority.
  /// - Throws: ``LoopbackServerError`` if the port is not available, or the certificate is invalid.
  public convenience init(port: UInt16 = 0, identity: TestIdentity) throws(LoopbackServerError) {
    try self.init(port: port, certificate: Certificate(pem: identity.certificate, key: identity.key))
  }
}
