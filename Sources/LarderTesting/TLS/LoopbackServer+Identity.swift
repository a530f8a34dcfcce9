public import LoopbackServer

extension LoopbackServer {
  /// Starts a server that speaks TLS.
  ///
  /// ```swift
  /// let authority = try TestCertificateAuthority()
  /// let server = try LoopbackServer(identity: authority.identity())
  /// server.route("/trips") { _ in .json("[]") }
  /// // The client is told to believe in this authority alone.
  /// options.authorities = .only(pem: authority.certificate)
  /// let client = HTTPClient(baseURL: server.url(), transport: CurlTransport(options: options))
  /// ```
  ///
  /// - Parameters:
  ///   - port: The port to listen on; 0 lets the system choose a free one.
  ///   - identity: Its certificate and key. One that a client must refuse is made the same way: for another host, expired,
  ///     of another authority.
  /// - Throws: ``LoopbackServerError``.
  public convenience init(port: UInt16 = 0, identity: TestIdentity) throws(LoopbackServerError) {
    try self.init(port: port, certificate: Certificate(pem: identity.certificate, key: identity.key))
  }
}
