internal import CEncoders
public import Foundation

/// Bodies as servers compress them.
public enum Encoded: String, CaseIterable, Sendable {
  case gzip, zlib
  /// "deflate" without the format of zlib around it, as some servers send it.
  case bareDeflate
  case brotli, zstd

  /// What `Content-Encoding` says of it.
  public var name: String {
    switch self {
    case .gzip: "gzip"
    case .zlib, .bareDeflate: "deflate"
    case .brotli: "br"
    case .zstd: "zstd"
    }
  }

  public func data(_ data: Data) -> Data {
    let encoding =
      switch self {
      case .gzip: ENCODE_GZIP
      case .zlib: ENCODE_ZLIB
      case .bareDeflate: ENCODE_BARE_DEFLATE
      case .brotli: ENCODE_BROTLI
      case .zstd: ENCODE_ZSTD
      }
    return Self.filled(data) { bytes, count, room, space in encode_by(encoding, bytes, count, room, space) }
  }

  /// By zstd, with a window of 2 to that power.
  public static func zstd(_ data: Data, window: Int32) -> Data {
    filled(data) { bytes, count, room, space in encode_with_window(window, bytes, count, room, space) }
  }

  private static func filled(
    _ data: Data,
    _ fill: (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>, Int) -> Int
  ) -> Data {
    var room = [UInt8](repeating: 0, count: data.count + data.count / 8 + 1_024)
    // A pointer is needed also where nothing is at it.
    let bytes = [UInt8](data) + [0]
    let count = fill(bytes, data.count, &room, room.count)
    precondition(count > 0, "could not be encoded")
    return Data(room[..<count])
  }
}
