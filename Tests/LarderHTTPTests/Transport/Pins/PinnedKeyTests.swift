import DurabilityWork
import Foundation
import LarderTesting
import Testing

@testable import LarderHTTP

/// How the key of a certificate is found, and hashed.
@Suite struct PinnedKeyTests {
  @Test(
    arguments: [
      // FIPS 180-4's examples, and the lengths around which the padding needs another block.
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (String(repeating: "a", count: 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
      (String(repeating: "a", count: 56), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
      (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
      (String(repeating: "a", count: 1_000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
    ]) func hashes(_ text: String, _ expected: String)
  {
    #expect(SHA256.hash(text.utf8).map { String(format: "%02x", $0) }.joined() == expected)
  }

  /// Of version 1, with an RSA key; its pin is as `openssl` has computed it.
  private static let certificate = """
    a comment before
    -----BEGIN CERTIFICATE-----
    MIIBmjCCAQMCFELNIuwysIfOxdOsw2L+a5NztcRoMA0GCSqGSIb3DQEBCwUAMAwx
    CjAIBgNVBAMMAWEwHhcNMjYxMTI1MjMyOTIwWhcNMzYxMTIyMjMyOTIwWjAMMQow
    CAYDVQQDDAFhMIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDDF0YVP42e4IE/
    aEPKUgWiqNtdOa9WIVbHMQv7sDfZrel1FY0EE2eOUzWRU6n/LGQsMzDH6SenqCUb
    yd9ZN4RBfl9NaKTgd9F0ADd5Y+8Yr+ME9cg4ylOlbZ+v0YHYneXpirq2/C054MjV
    ADS+xTFvbh71XfQpyJqiN7TCmsXy9QIDAQABMA0GCSqGSIb3DQEBCwUAA4GBADE5
    hnecl9YJN3+aLYV2+n4InFwvvpJ7WMw95V6aFw+PudZYVbTmiawM9W2YU3vtQaOI
    Cd8oVAfYKhiLcpf6x9kOo9UQQzuB0sfV6sdUlQi1+3iPjq+mxobGxSWVPx3+IyAo
    UYSmUe2JszUvsyWd3c5jt43SHkDfD/ZbbZDuZFUu
    -----END CERTIFICATE-----
    """

  @Test func pinsOfCertificates() throws {
    let pin = try #require(KeyPins.Pin(certificate: Self.certificate))
    #expect(pin.base64 == "bsuFhEL7qADJOVT6wEhimLbhzUtaBwXeT4D1CsdLYfs=")
    #expect(pin.description == "sha256/bsuFhEL7qADJOVT6wEhimLbhzUtaBwXeT4D1CsdLYfs=")
    // Of version 3, with a key on a curve, as OpenSSL hashes it.
    let identity = try TestCertificateAuthority().identity()
    let own = KeyPins.Pin(certificate: String(decoding: identity.certificate, as: UTF8.self))
    #expect(own?.sha256 == identity.publicKeySHA256)
    for text in ["", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE----------END CERTIFICATE-----"] {
      #expect(KeyPins.Pin(certificate: text) == nil)
    }
  }

  /// What a network sends may be anything: it is read or refused, and never more than is there.
  @Test func damagedCertificates() throws {
    let lines = Self.certificate.split(separator: "\n").dropFirst(2).dropLast()
    let whole = try #require(Data(base64Encoded: lines.joined())).map { $0 }
    let key = try #require(KeyPins.Pin.subjectPublicKeyInfo(of: whole[...]))
    for count in 0..<whole.count { #expect(KeyPins.Pin.subjectPublicKeyInfo(of: whole[..<count]) == nil) }
    var generator = SeededGenerator(seed: Share.seed)
    for _ in 0..<20_000 {
      var damaged = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        damaged[Int.random(in: 0..<damaged.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      let found = KeyPins.Pin.subjectPublicKeyInfo(of: damaged[...])
      #expect(found.map { $0.count < damaged.count && $0.first == key.first } ?? true, "LARDER_SEED=\(Share.seed)")
    }
    for length: [UInt8] in [[0x80], [0x85, 1, 1, 1, 1, 1], [0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x82, 1], [0xFF], []] {
      var reader = DERReader(([0x30] + length)[...])
      #expect(reader.next() == nil)
    }
    var reader = DERReader([0x1F, 0x01, 0x00])
    #expect(reader.next() == nil)
  }
}
