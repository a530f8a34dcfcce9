import CLarderSecrets
import Foundation

/// A header's sum, as somebody would set it right who knows the format.
enum Sum {
  static func sha256(_ data: Data) -> Data {
    var digest = Data(count: 32)
    let isDone = data.withUnsafeBytes { bytes in
      digest.withUnsafeMutableBytes { cls_sha256(bytes.baseAddress, bytes.count, $0.baseAddress) }
    }
    precondition(isDone == 1, "OpenSSL has no SHA-256")
    return digest
  }
}
