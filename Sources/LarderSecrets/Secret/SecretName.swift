/// The name of a secret: the service that it is for, and the account there. The terms are those of Apple's Keychain.
///
/// ```swift
/// let name = SecretName(service: "api.example", account: "refresh-token")
/// ```
///
/// Names are not secret: a desktop's keyring shows them to its user, and stores them in plain text.
public struct SecretName: Sendable, Hashable {
  /// The service: a host, or a program's own identifier.
  public let service: String
  /// The account at the service, or another identifier of one of several secrets.
  public let account: String

  /// Creates a name from two texts, each of 1 to ``maximumLength`` bytes without a zero byte.
  public init(service: String, account: String) {
    self.service = service
    self.account = account
  }

  /// The length of the longest service or account: 1,024 bytes.
  public static let maximumLength = 1_024

  /// Validates the name for every store: text in C ends at a zero byte.
  func validate() throws(SecretError) {
    for part in [service, account] {
      guard !part.isEmpty, part.utf8.count <= Self.maximumLength, !part.utf8.contains(0) else { throw .invalidName }
    }
  }
}

extension SecretName: Comparable {
  /// Returns whether a name precedes another: by service, then by account, in the order of their UTF-8 on every platform.
  public static func < (one: SecretName, other: SecretName) -> Bool {
    if one.service != other.service { return one.service.utf8.lexicographicallyPrecedes(other.service.utf8) }
    return one.account.utf8.lexicographicallyPrecedes(other.account.utf8)
  }
}
