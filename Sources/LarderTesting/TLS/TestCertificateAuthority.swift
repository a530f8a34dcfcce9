internal import CLarderTLS
public import Foundation

/// An authority of one's own, whose certificates are made on the fly and last for as long as the test.
///
/// ```swift
/// let authority = try TestCertificateAuthority()
/// let server = try ScriptedServer(identity: authority.identity()) { _ in [.receiveRequest, .send(answer)] }
/// // The client is told to believe in this authority alone.
/// options.authorities = .only(pem: authority.certificate)
/// ```
///
/// What a client must refuse is made the same way: for another host, expired, of another authority.
public final class TestCertificateAuthority: Sendable {
  /// The authority's own certificate, in PEM.
  public let certificate: Data
  private let rootIdentity: TestIdentity

  /// - Parameter name: The authority's name.
  /// - Throws: ``TestCertificateError``, where OpenSSL fails.
  public init(name: String = "Test Authority") throws(TestCertificateError) {
    rootIdentity = try TestIdentity(
      name: name, names: nil, issuer: nil, validFrom: .seconds(-3_600), validUntil: .seconds(86_400))
    certificate = rootIdentity.certificate
  }

  /// A server's certificate and key.
  ///
  /// - Parameters:
  ///   - hosts: Names and addresses that it is for.
  ///   - begins: From when it is valid, from now on.
  ///   - ends: Until when; before now, it has expired.
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
  /// A certificate that is signed by its own key, and by no authority, which a client must refuse.
  ///
  /// - Parameter address: The address that it is for.
  /// - Throws: ``TestCertificateError``.
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
  /// The SHA-256 of its SubjectPublicKeyInfo, which clients pin.
  public let publicKeySHA256: Data

  init(
    name: String, names: String?, issuer: TestIdentity?, validFrom begins: Duration, validUntil ends: Duration
  ) throws(TestCertificateError) {
    var made = clt_identity()
    defer { clt_identity_free(&made) }
    let isMade: Bool
    if let issuer {
      isMade = issuer.withCStrings { certificate, key in
        // Read, and neither changed nor kept.
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

  /// Both as C strings.
  func withCStrings<Result>(_ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Result) -> Result {
    String(decoding: certificate, as: UTF8.self).withCString { certificate in
      String(decoding: key, as: UTF8.self).withCString { key in body(certificate, key) }
    }
  }
}

/// A certificate could not be made: OpenSSL refused its names, or has no random numbers.
public struct TestCertificateError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { description }
  public let description = "The certificate could not be made; check its host names."
}
