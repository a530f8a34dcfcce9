/// The proxy that prevented a request from reaching its server.
///
/// ```swift
/// if error.proxy?.status == 407 { askForThePasswordOfTheProxy() }
/// ```
public struct ProxyFailure: Sendable, Hashable {
  /// The proxy's address, without credentials: `http://proxy.example:3128`.
  public var address: String
  /// The status with which the proxy refused the connection; nil if it did not respond.
  public var status: Int?

  /// Creates a proxy's failure.
  public init(address: String, status: Int? = nil) {
    self.address = address
    self.status = status
  }
}

extension ProxyFailure {
  var summary: String {
    status.map { "\(address) refuses the connection with status \($0)" } ?? "\(address) does not answer"
  }

  var advice: String {
    switch status {
    case nil:
      "Check that the proxy runs, and its address, in the transport's options or in the environment (https_proxy)."
    case .some(407): "Give the proxy a name and a password, in its address: http://user:password@host:port."
    case .some(400..<500): "The proxy does not allow this connection: ask those who run it, or go by another."
    default: "The proxy does not reach the server: check the server's name and whether it runs, or try again later."
    }
  }

  /// Whether the proxy will refuse again the next time.
  var isPermanent: Bool {
    status.map { (400..<500).contains($0) && !RetryPolicy.unprocessedStatuses.contains($0) } ?? false
  }
}
