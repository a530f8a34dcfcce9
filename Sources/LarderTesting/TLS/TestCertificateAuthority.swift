internal import CLarderTLS
public import Foundation

/// A certificate authority for tests, whose certificates are created on demand and expire after a day.
///
/// ```swift
/// let authority = try TestCertificateAuthority()
/// let server = try ScriptedServer(identity: authority.identity()) { _ in [.receiveRequest, .send(answer)] }
/// // The client trusts this authority only.
/// options.authorities = .only(pem: authority.certificate)
/// ```
///
/// To test the rejection of a certificate, create one for another host, an expired one, or one of another authority.
public final class TestCertificateAuthority: Sendable {
  /// The authority's own certificate, in PEM.
  public let certificate: Data
  private let rootIdentity: TestIdentity

  /// Creates an authority.
  ///
  /// - Parameter name: The authority's name.
  /// - Throws: ``TestCertificateError`` if OpenSSL fails.
  public init(name: String = "Test Authority") throws(TestCertificateError) {
    rootIdentity = try TestIdentity(
      name: name, names: nil, issuer: nil, validFrom: .seconds(-3_600), validUntil: .seconds(86_400))
    certificate = rootIdentity.certificate
  }

  /// Creates a server's certificate and key.
  ///
  /// - Parameters:
  ///   - hosts: The host names and addresses of the certificate.
  ///   - begins: The beginning of its validity, as an offset from now.
  ///   - ends: The end of its validity, as an offset from now. A negative offset creates an expired certificate.
  /// - Throws: ``TestCertificateError`` if OpenSSL fails.
  public func identity(
    hosts: [String] = ["localhost", "127.0.0.1"], validFrom begins: Duration = .seconds(-3_600),
    validUntil ends: Duration = .seconds(86_400)
  ) throws(TestCertificateError) -> TestIdentity {
    let names = hosts.map { host in
      host.allSatisfy { $0.isNumber || $0 == "." } || host.contains(":") ? "IP:" + host : "DNS:" + host
    }
    return try TestIdentity(
      name: hosts.first ?? "nobody", names: names.joined(separator: ","), issuer: rootIdentity, validFrom: begins,
      validUntil: ends)
  }
}

extension TestIdentity {
  /// Creates a certificate that is signed by its own key, and by no authority, which a client must reject.
  ///
  /// - Parameter address: The address of the certificate.
  /// - Throws: ``TestCertificateError`` if OpenSSL fails.
  public static func selfSigned(address: String = "127.0.0.1") throws(TestCertificateError) -> TestIdentity {
    try TestIdentity(
      name: address, names: "IP:" + address, issuer: nil, validFrom: .seconds(-3_600), validUntil: .seconds(86_400))
  }
}

/// A certificate and its key.
public struct TestIdentity: Sendable {
  /// The certificate, in PEM.
  public let certificate: Data
  /// The private key, in PEM.
  public let key: Data
  /// The SHA-256 of the SubjectPublicKeyInfo, which clients pin.
  public let publicKeySHA256: Data

  init(
    name: String, names: String?, issuer: TestIdentity?, validFrom begins: Duration, validUntil ends: Duration
  ) throws(TestCertificateError) {
    var made = clt_identity()
    defer { clt_identity_free(&made) }
    let isMade: Bool
    if let issuer {
      isMade = issuer.withCStrings { certificate, key in
        // OpenSSL only reads the signer, and does not keep it.
        var signer = clt_identity()
        signer.certificate = UnsafeMutablePointer(mutating: certificate)
        signer.key = UnsafeMutablePointer(mutating: key)
        return clt_identity_make(name, names, &signer, begins.components.seconds, ends.components.seconds, &made) != 0
      }
    } else {
      isMade = clt_identity_make(name, names, nil, begins.components.seconds, ends.components.seconds, &made) != 0
    }
    guard isMade, let certificate = made.certificate, let key = made.key else { throw TestCertificateError() }
    self.certificate = Data(String(cString: certificate).utf8)
    self.key = Data(String(cString: key).utf8)
    publicKeySHA256 = withUnsafeBytes(of: made.public_key_hash) { Data($0) }
  }

  /// Calls the body with both as C strings.
  func withCStrings<Result>(_ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Result) -> Result {
    String(decoding: certificate, as: UTF8.self).withCString { certificate in
      String(decoding: key, as: UTF8.self).withCString { key in body(certificate, key) }
    }
  }
}

/// An error of certificate creation: OpenSSL has rejected the host names, or has no random numbers.
public struct TestCertificateError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { description }
  public let description = "The certificate could not be made; check its host names."
}
