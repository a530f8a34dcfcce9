public import Foundation

extension LoopbackServer {
  /// The certificate and key of a server with TLS.
  ///
  /// LarderTesting creates them on demand: `LoopbackServer(identity: authority.identity())`.
  public struct Certificate: Sendable {
    let pem: String
    let key: String

    /// Creates a certificate from PEM.
    ///
    /// - Parameters:
    ///   - pem: The certificate, followed by intermediate certificates, in PEM.
    ///   - key: The private key, in PEM.
    public init(pem: Data, key: Data) {
      self.pem = String(decoding: pem, as: UTF8.self)
      self.key = String(decoding: key, as: UTF8.self)
    }
  }
}
