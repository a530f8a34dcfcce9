/// The reason why a server's certificate is not trusted, if it is known.
///
/// ```swift
/// if error.certificateProblem == .expired { show("Is this device's clock right?") }
/// ```
public enum CertificateProblem: Sendable, Hashable {
  /// The certificate, or that of one of its authorities, has expired.
  case expired
  /// The certificate is not valid before a later date.
  case notYetValid
  /// The certificate is signed by itself, and by no authority.
  case selfSigned
  /// The certificate's authority is not among those that the transport trusts.
  case unknownAuthority
  /// The certificate is for another host.
  case hostMismatch
}

extension CertificateProblem {
  var summary: String {
    switch self {
    case .expired: "it has expired"
    case .notYetValid: "it is not valid yet"
    case .selfSigned: "it is signed by itself"
    case .unknownAuthority: "its authority is not known"
    case .hostMismatch: "it is for another host"
    }
  }

  var advice: String {
    switch self {
    case .expired: "Have the server's certificate renewed, if this device's clock is right."
    case .notYetValid: "Check this device's clock, and from when the server's certificate is valid."
    case .selfSigned:
      "Give the server a certificate of an authority, and the transport that authority (\(trustRootsOption))."
    case .unknownAuthority:
      "Give the transport the server's authority (\(trustRootsOption)), if it is your own and this network has no portal."
    case .hostMismatch: "Use a name that the server's certificate is for, if this network has no portal."
    }
  }

  /// The option that sets the trusted authorities.
  private var trustRootsOption: String { "CurlTransport.Options.trustRoots" }
}
