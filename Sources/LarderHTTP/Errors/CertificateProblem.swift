/// Why a server's certificate is not trusted, where that is known.
///
/// ```swift
/// if error.certificateProblem == .expired { show("Is this device's clock right?") }
/// ```
public enum CertificateProblem: Sendable, Hashable {
  /// It, or one of its authorities, has expired.
  case expired
  /// It is valid from a later date on.
  case notYetValid
  /// It is signed by itself, and by no authority.
  case selfSigned
  /// Its authority is not among those that the transport believes in.
  case unknownAuthority
  /// It is for another host.
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

  /// Where an authority is given.
  private var trustRootsOption: String { "CurlTransport.Options.trustRoots" }
}
