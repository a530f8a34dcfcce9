public import Foundation

extension LoopbackServer {
  /// What a server that speaks TLS shows its clients.
  ///
  /// LarderTesting makes one on the fly: `LoopbackServer(identity: authority.identity())`.
  public struct Certificate: Sendable {
    let pem: String
    let key: String

    /// - Parameters:
    ///   - pem: The certificate, and those between it and its authority, in PEM.
    ///   - key: The private key, in PEM.
    public init(pem: Data, key: Data) {
      self.pem = String(decoding: pem, as: UTF8.self)
      self.key = String(decoding: key, as: UTF8.self)
    }
  }
}
