/// What a secret is found by: the service that it is for, and the account there. The words are those of Apple's Keychain.
///
/// ```swift
/// let name = SecretName(service: "api.example", account: "refresh-token")
/// ```
///
/// Names are no secrets: a desktop's keyring shows them to its user, and keeps them in the clear.
public struct SecretName: Sendable, Hashable {
  /// What the secret is for: a host, or a program's own identifier.
  public let service: String
  /// Whose it is there, or which of several.
  public let account: String

  /// A name of two texts, each of 1 to ``longest`` bytes without a zero.
  public init(service: String, account: String) {
    self.service = service
    self.account = account
  }

  /// 1,024 bytes: the longest service or account.
  public static let maximumLength = 1_024

  /// Text that every store can keep: what is written in C ends at a zero.
  func validate() throws(SecretError) {
    for part in [service, account] {
      guard !part.isEmpty, part.utf8.count <= Self.maximumLength, !part.utf8.contains(0) else { throw .invalidName }
    }
  }
}

extension SecretName: Comparable {
  /// By the service, then the account, by their UTF-8: the same everywhere.
  public static func < (one: SecretName, other: SecretName) -> Bool {
    if one.service != other.service { return one.service.utf8.lexicographicallyPrecedes(other.service.utf8) }
    return one.account.utf8.lexicographicallyPrecedes(other.account.utf8)
  }
}
